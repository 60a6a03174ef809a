import ConfigurationModel
import ConfigurationYAML
import Health
import Testing

@Suite("The rules of a configuration, for every source of its values")
struct SourceIndependenceTests {
    private func problems(_ make: () throws(ConfigurationError) -> ServerConfiguration) -> [String] {
        do throws(ConfigurationError) {
            _ = try make()
            return []
        } catch {
            let locations = error.problems.map(\.location)
            #expect(locations == locations.sorted())
            return error.problems.map(\.description)
        }
    }

    @Test(
        "a mistake causes the same problem in a file and in values, except for the location",
        arguments: Mistake.values + Mistake.references + Mistake.combinations)
    func sameProblems(_ mistake: Mistake) {
        let inFile = problems { () throws(ConfigurationError) in
            try ServerConfiguration.parse(yaml: mistake.yaml, file: "nearcast.yaml", baseFolder: "/etc/nearcast")
        }
        #expect(inFile.sorted() == mistake.problems.map(\.inFile).sorted())
        var declaration = InMemory.base
        mistake.declare(&declaration)
        let inMemory = problems { () throws(ConfigurationError) in try InMemory.configuration(declaration) }
        #expect(inMemory.sorted() == mistake.problems.map(\.inMemory).sorted())
    }

    @Test("the same values are the same settings")
    func sameSettings() throws {
        let yaml =
            Mistake.base + Mistake.nodes + """
                pools: [{id: web, nodes: [fra1, nyc1]}]
                policies: [{id: near, strategy: nearest, answers: 2, ttl: {max: 30}}]
                tailored: [{name: www.example.com, pool: web, policy: near}]
                health: {interval: 2s, checks: [{type: tcp, port: 443}]}
                """
        let expected = try ServerConfiguration.parse(yaml: yaml, file: "api", baseFolder: "/etc/nearcast")
        var declaration = InMemory.base
        Mistake.addNodes(&declaration)
        declaration.pools = InMemory.list([InMemory.pool(0, "web", nodes: ["fra1", "nyc1"])], "/pools")
        declaration.policies = InMemory.list(
            [
                InMemory.policy(0, "near") { policy, pointer in
                    policy.strategy = InMemory.value("nearest", "\(pointer)/strategy")
                    policy.answers = InMemory.value(2, "\(pointer)/answers")
                    var ttl = TTLDeclaration()
                    ttl.max = InMemory.value(30, "\(pointer)/ttl/max")
                    policy.ttl = InMemory.value(ttl, "\(pointer)/ttl")
                }
            ], "/policies")
        declaration.tailored = InMemory.list([InMemory.tailored(0, "www.example.com", "web", "near")], "/tailored")
        var check = CheckDeclaration()
        check.type = InMemory.value("tcp", "/health/checks/0/type")
        check.port = InMemory.value(443, "/health/checks/0/port")
        var health = ServerHealthDeclaration()
        health.common.interval = InMemory.value("2s", "/health/interval")
        health.common.checks = InMemory.list([check], "/health/checks")
        declaration.health = InMemory.value(health, "/health")

        let found = try InMemory.configuration(declaration)
        #expect(found.nodes.map(\.health) == expected.nodes.map(\.health))
        #expect(found.nodes.map(\.health.checks.count) == [1, 1])
        #expect(found.policies.map(\.ttlMax) == [30] && found.policies.map(\.answers) == [2])
        #expect(found.endpoints == expected.endpoints && found.zones.map(\.file) == expected.zones.map(\.file))
        #expect(found.tailored.map(\.name) == expected.tailored.map(\.name))
        #expect(found.pools.map { $0.members.map(\.node) } == expected.pools.map { $0.members.map(\.node) })
        #expect(found.control.path == expected.control.path && found.tcp == expected.tcp)
    }

    @Test("a setting knows where its value is declared")
    func marks() throws {
        var declaration = InMemory.base
        Mistake.addNodes(&declaration)
        let configuration = try InMemory.configuration(declaration)
        #expect(configuration.nodes.map { "\($0.mark)" } == ["/nodes/0", "/nodes/1"])
        #expect(configuration.listen.map { "\($0.mark)" } == ["/listen/0"])
        #expect("\(configuration.problem(at: configuration.zones[0].mark, "gone"))" == "/zones/0: gone")
        #expect("\(configuration.control.mark)" == "the document")
    }

    @Test("an empty document lacks the required keys")
    func empty() {
        let found = problems { () throws(ConfigurationError) in
            try InMemory.configuration(ConfigurationDeclaration())
        }
        #expect(
            found == [
                #"the document: listen is missing: add listen: ["192.0.2.53:53", "[2001:db8::53]:53"]"#,
                "the document: zones is missing: add zones: [{origin: example.com, file: zones/example.com.zone}]",
            ])
    }

    @Test("problems found by the reader are thrown too, in the order of their locations")
    func foundByReader() {
        var declaration = InMemory.base
        declaration.watch = .unreadable
        declaration.control = InMemory.value("", "/control")
        let found = ConfigurationError.Problem(
            at: InMemory.location("/watch"), "watch is a list, expected true or false", remedy: "write one of them")
        let all = problems { () throws(ConfigurationError) in
            try ServerConfiguration(
                Located(declaration, at: .pointer(JSONPointer())), document: "api", baseFolder: "/", found: [found])
        }
        #expect(
            all == [
                "/control: control is empty, expected a path: give it a value",
                "/watch: watch is a list, expected true or false: write one of them",
            ])
    }

    @Test("a value that could not be read is refused even if the reader reports no problem")
    func silentReader() {
        var declaration = InMemory.base
        declaration.watch = .unreadable
        let all = problems { () throws(ConfigurationError) in try InMemory.configuration(declaration) }
        #expect(all == ["the document: a value could not be read: check the types of all values"])
    }
}
