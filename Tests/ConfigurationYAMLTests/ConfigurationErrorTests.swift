import ConfigurationModel
import ConfigurationYAML
import Testing

@Suite("A configuration that is refused")
struct ConfigurationErrorTests {
    @Test("malformed YAML and unknown or missing keys are reported in place", arguments: ProblemCase.document)
    func document(_ row: ProblemCase) { expect(row) }

    @Test("a key of nested aliases is refused before it is expanded", .timeLimit(.minutes(1)))
    func aliasBomb() throws {
        var lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
        for level in 1...8 {
            let below = Array(repeating: "*a\(level - 1)", count: 10).joined(separator: ", ")
            lines.append("a\(level): &a\(level) [\(below)]")
        }
        lines.append("? *a8\n: x\n")
        let refusal = #"nearcast.yaml:1:5: "&a0" is a YAML anchor or alias, expected none: write the value out"#
        #expect(reports(lines.joined(separator: "\n")) == refusal)
    }

    @Test(
        "anchors and aliases are refused where they stand",
        arguments: [
            ("a: &b 1", #"1:4: "&b""#), ("a: *b", #"1:4: "*b""#), ("a:\n- &b [1]", #"2:3: "&b""#),
            ("\u{FEFF}a: &b {}", #"1:4: "&b""#), ("a: [\n# ü &c\n'ü', &b x]", #"3:6: "&b""#),
            ("nodes:\n- {id: a, location: &fra {latitude: 50}}\n- {id: b, location: *fra}", #"2:21: "&fra""#),
        ])
    func sharing(yaml: String, place: String) {
        #expect(reports(yaml) == "nearcast.yaml:\(place) is a YAML anchor or alias, expected none: write the value out")
    }

    @Test(
        "problems of the server's own keys are reported in place",
        arguments: ProblemCase.server + ProblemCase.transports)
    func server(_ row: ProblemCase) { expect(row) }

    @Test("problems of geo are reported in place", arguments: ProblemCase.geo)
    func geo(_ row: ProblemCase) { expect(row) }

    @Test("problems of providers are reported in place", arguments: ProblemCase.providers)
    func providers(_ row: ProblemCase) { expect(row) }

    @Test("problems of aliases are reported in place", arguments: ProblemCase.aliases)
    func aliases(_ row: ProblemCase) { expect(row) }

    @Test("problems of nodes are reported in place", arguments: ProblemCase.nodes)
    func nodes(_ row: ProblemCase) { expect(row) }

    @Test(
        "problems of pools, policies and views are reported in place",
        arguments: ProblemCase.steering + ProblemCase.pools + ProblemCase.policies + ProblemCase.rules
            + ProblemCase.views)
    func steering(_ row: ProblemCase) { expect(row) }

    @Test(
        "problems of zones and tailored names are reported in place",
        arguments: ProblemCase.names + ProblemCase.tailored)
    func names(_ row: ProblemCase) { expect(row) }

    @Test("problems of protocol options are reported in place", arguments: ProblemCase.speech)
    func speech(_ row: ProblemCase) { expect(row) }

    @Test("problems of round-trip times are reported in place", arguments: ProblemCase.roundTrips)
    func roundTrips(_ row: ProblemCase) { expect(row) }

    @Test(
        "problems of health are reported in place",
        arguments: ProblemCase.health + ProblemCase.reports + ProblemCase.load)
    func health(_ row: ProblemCase) { expect(row) }

    private func expect(_ row: ProblemCase) {
        let expected = row.reports.split(separator: "\n").map { "nearcast.yaml:\($0)" }.joined(separator: "\n")
        #expect(reports(row.yaml) == expected)
    }

    private func reports(_ yaml: String) -> String? {
        do throws(ConfigurationError) {
            _ = try ServerConfiguration.parse(yaml: yaml, file: "nearcast.yaml", baseFolder: "/etc/nearcast")
            return nil
        } catch {
            return error.description
        }
    }

    @Test("every problem of a file is reported at once, in the order of the file")
    func all() {
        let yaml = """
            tailored:
              - {name: www.example.com, pool: web, policy: nearest}
            listen: ["192.0.2.53"]
            zones: [{origin: example.com}]
            policies: [{id: nearest, answers: 12, ecs: maybe}]
            """
        let lines = reports(yaml)?.split(separator: "\n").map { $0.prefix { $0 != " " } }
        #expect(
            lines == [
                "nearcast.yaml:2:35:", "nearcast.yaml:3:10:", "nearcast.yaml:4:9:", "nearcast.yaml:5:35:",
                "nearcast.yaml:5:44:",
            ])
    }

    @Test("one node more than the limit is refused at its line")
    func nodeLimit() {
        let nodes = (0...ServerConfiguration.maximumNodes).map {
            "  - {id: n\($0), addresses: [192.0.2.1], location: {latitude: 1, longitude: 2}}"
        }
        let yaml = ProblemCase.base + "nodes:\n" + nodes.joined(separator: "\n")
        #expect(
            reports(yaml) == "nearcast.yaml:4100:5: nodes has 4097 entries, expected at most 4096: remove 1")
    }

    @Test("endless nesting is refused")
    func nesting() {
        let yaml = "listen: " + String(repeating: "[", count: 100_000)
        #expect(reports(yaml)?.contains("Maximum nesting level reached") == true)
    }

    @Test("a byte order mark does not move the columns")
    func byteOrderMark() {
        #expect(
            reports("\u{FEFF}state: [a]\n" + ProblemCase.base)
                == "nearcast.yaml:1:8: state is a list, expected a path: write a single value")
    }

    @Test("carriage returns do not move lines or columns")
    func carriageReturns() {
        let yaml = "listen: [\"192.0.2.53:53\"]\r\nstate: [a]\r\nzones: [{origin: example.com, file: e.zone}]\r\n"
        #expect(reports(yaml) == "nearcast.yaml:2:8: state is a list, expected a path: write a single value")
    }

    @Test("a problem found later is printed like the others")
    func later() throws {
        let configuration = try ServerConfiguration.parse(
            yaml: ProblemCase.base, file: "nearcast.yaml", baseFolder: "/etc/nearcast")
        let zone = try #require(configuration.zones.first)
        let problem = configuration.problem(at: zone.mark, "zone file \(zone.file) is missing: create it")
        #expect(problem.description == "nearcast.yaml:2:9: zone file /etc/nearcast/e.zone is missing: create it")
        #expect(ConfigurationError(problems: [problem]).problems == [problem])
    }
}
