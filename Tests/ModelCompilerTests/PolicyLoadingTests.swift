import ConfigurationModel
import ConfigurationYAML
import Fixtures
import Foundation
import IPNetworks
import Lints
import ModelCompiler
import Resolution
import Steering
import Testing

/// A folder with a configuration that tailors `www.example.com`, and a small city database. Removed at the end.
private final class PolicyFolder {
    let path = FileManager.default.temporaryDirectory.appending(path: "nearcast-policy-\(UUID())").path

    private static let zone = "$TTL 60\n@ SOA ns admin 1 2 3 4 5\n@ NS ns\nns A 192.0.2.1\n"
    private static let head = """
        listen: [127.0.0.1:5300]
        geo: {database: city.mmdb}
        zones: [{origin: example.com, file: e.zone}]
        nodes:
          - {id: a, addresses: [198.51.100.1, "2001:db8::a"], overlay: [10.0.0.1], location: {latitude: 52, longitude: 13}}
          - {id: b, addresses: [198.51.100.2], location: {latitude: 40, longitude: -74}}
          - {id: c, addresses: [198.51.100.3], overlay: [10.0.0.3, "fd00::3"], location: {latitude: 1, longitude: 103}}

        """
    init(_ files: [String: String] = [:]) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try Data(MMDBWriter.sample().bytes).write(to: URL(fileURLWithPath: "\(path)/city.mmdb"))
        try write("e.zone", Self.zone)
        for (name, text) in files { try write(name, text) }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func write(_ name: String, _ text: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: "\(path)/\(name)"))
    }

    func load(_ yaml: String) throws -> LoadedModel {
        try write("config.yaml", Self.head + yaml)
        var slots = SlotTable()
        return try ModelCompiler.compile(configuration: "\(path)/config.yaml", epoch: 1, slots: &slots)
    }

    /// Loads as a reload does.
    func load(_ yaml: String, after earlier: LoadedModel, without node: String = "") throws -> LoadedModel {
        let lines = (Self.head + yaml).split(separator: "\n", omittingEmptySubsequences: false)
        try write(
            "config.yaml",
            lines.filter { node.isEmpty || !$0.contains("{id: \(node), addr") }.joined(separator: "\n"))
        var slots = SlotTable()
        return try ModelCompiler.compile(
            try ServerConfiguration.load(path: "\(path)/config.yaml"), epoch: 2, slots: &slots, earlier: earlier)
    }

    /// What is wrong, without the folder's name. `yaml` begins at line 8.
    func problems(_ yaml: String) throws -> [String] {
        do {
            _ = try load(yaml)
            return []
        } catch let error as LoadProblem { return error.problems.map { $0.replacing("\(path)/", with: "") } }
    }

    func warnings(_ yaml: String) throws -> [String] {
        // Not every policy here has a place for every node.
        try load(yaml + "lint: {off: [unused-node]}\n").warnings.map { $0.description.replacing("\(path)/", with: "") }
    }
}

/// One pool, one policy with `settings`, one name.
private func simple(_ settings: String, pools: String = "[{id: web, nodes: [a, b, c]}]", views: String = "") -> String {
    """
    pools: \(pools)
    policies: [{id: p\(settings.isEmpty ? "" : ", ")\(settings)}]
    \(views)
    tailored: [{name: www.example.com, pool: web, policy: p}]

    """
}

@Suite("Policies of a loaded configuration")
struct PolicyLoadingTests {
    @Test("unknown regions and labels are refused at their line")
    func unknownPlaces() throws {
        let folder = try PolicyFolder()
        let rules =
            "rules: [{regions: [DE-Bavaria], pin: [a]}, {labels: [lab], pin: [a]}, {regions: [DE-Berlin], deny: [b]}]"
        #expect(
            try folder.problems(simple(rules)) == [
                "config.yaml:9:39: a rule of policy \"p\" is for region DE-Bavaria, which is not in the city "
                    + "database (regions of DE: Berlin): correct it",
                "config.yaml:9:73: a rule of policy \"p\" is for label lab, which no place has: add it to an entry of "
                    + "geo.overrides",
            ])
    }

    @Test("every wrong line of a latency file is reported with its number")
    func latencyLines() throws {
        let text = """
            # place,node,milliseconds
            DE-Berlin, a, 4.5\r

            DE,a
            Germany,a,1
            DE,x,1
            DE,a,60001
            DE,a,-1
            US,a,1
            US,a,2
            continent:XX,a,1
            """
        let folder = try PolicyFolder(["rtt.csv": text, "empty.csv": "", "region.csv": "\nDE-Bavaria,a,1\n"])
        let problems = try folder.problems(simple("strategy: latency, latency: rtt.csv"))
        #expect(problems.map { String($0.prefix { $0 != " " }) } == [4, 5, 6, 7, 8, 10, 11].map { "rtt.csv:\($0):" })
        #expect(try folder.problems(simple("strategy: latency, latency: empty.csv")).isEmpty)
        #expect(
            try folder.problems(simple("strategy: latency, latency: region.csv")) == [
                "region.csv:2: a time is for region DE-Bavaria, which is not in the city database (regions of DE: "
                    + "Berlin): correct it"
            ])
        let absent = try folder.problems(simple("strategy: latency, latency: absent.csv"))
        #expect(absent.count == 1 && absent[0].hasPrefix("config.yaml:9:48: latency file absent.csv"), "\(absent)")
    }

    @Test("latencies decide, and a change of their file makes a model out of date")
    func latencies() throws {
        let folder = try PolicyFolder(["rtt.csv": "DE,b,4.4\nDE-Berlin,b,4.5\nDE,a,6\n"])
        let loaded = try folder.load(simple("strategy: latency, latency: rtt.csv"))
        let key = try #require(loaded.model.steering.tables.first?.key)
        #expect(key.latency?.rows == [.country("DE"): [1: 4, 0: 6], .region(country: "DE", "Berlin"): [1: 5]])
        #expect(loaded.isUpToDate)
        try Data("DE,b,90\n".utf8).write(to: URL(fileURLWithPath: "\(folder.path)/rtt.csv"))
        #expect(!loaded.isUpToDate)
    }

    @Test("the first of several latency files with a time for a location and a node decides")
    func severalLatencies() throws {
        let folder = try PolicyFolder(["one.csv": "DE,a,6\nDE-Berlin,a,5\n", "two.csv": "DE,a,99\nDE,b,7\nUS,b,8\n"])
        let yaml = simple("strategy: latency, latency: [one.csv, two.csv]")
        let loaded = try folder.load(yaml)
        let rows = try #require(loaded.model.steering.tables.first?.key.latency?.rows)
        #expect(
            rows == [
                .country("DE"): [0: 6, 1: 7], .region(country: "DE", "Berlin"): [0: 5], .country("US"): [1: 8],
            ])
        #expect(
            try folder.load(simple("strategy: latency, latency: [two.csv, one.csv]")).model.digest
                != loaded.model.digest)
        try folder.write("two.csv", "DE,b,1\n")
        #expect(!loaded.isUpToDate, "each of them is watched")
        let problems = try folder.problems(simple("strategy: latency, latency: [one.csv, absent.csv]"))
        #expect(
            problems.count == 1 && problems[0].hasPrefix("config.yaml:9:58: latency file absent.csv"), "\(problems)")
    }

    @Test("the file that the daemon writes may be missing, and then has no times")
    func learnedLatencies() throws {
        let folder = try PolicyFolder(["one.csv": "DE,b,7\n"])
        let yaml = simple("strategy: latency, latency: [learned.csv, one.csv]")
        #expect(try folder.problems(yaml).count == 1)
        let learning = "\(yaml)\nrtt: {node: a, ports: [443], file: learned.csv}\n"
        let first = try folder.load(learning)
        #expect(first.model.steering.tables.first?.key.latency?.rows == [.country("DE"): [1: 7]])
        try folder.write("learned.csv", "# learned\nDE,a,4.4\n")
        let second = try folder.load(learning, after: first)
        #expect(second.model.steering.tables.first?.key.latency?.rows == [.country("DE"): [0: 4, 1: 7]])
        #expect(second.model.digest != first.model.digest)
        #expect(try folder.load(learning).model.digest == second.model.digest, "nothing but the files decides")
    }

    @Test(
        "locations that a latency file may name are distinguished from others",
        arguments: [("DE", true), ("DE-Berlin", true), ("label:office", true), ("asn:1", true), ("Berlin", false)])
    func placeNames(text: String, isPlace: Bool) { #expect(LatencyPlaces.isPlace(text) == isPlace) }

    @Test("locations that the database does not know are left out")
    func knownPlaces() throws {
        let folder = try PolicyFolder()
        let places = try folder.load(simple("strategy: nearest")).model.places
        #expect(
            LatencyPlaces.known(["DE", "DE-Berlin", "DE-Bavaria", "label:office", "nonsense"], places)
                == ["DE", "DE-Berlin"])
    }

    @Test("after a reload with a wrong latency file its last good version stays in use")
    func latenciesStay() throws {
        let folder = try PolicyFolder(["rtt.csv": "DE,b,4\nDE,a,6\n"])
        let yaml = simple("strategy: latency, latency: rtt.csv", pools: "[{id: web, nodes: [a, b]}]")
        func rows(_ loaded: LoadedModel) -> [GeoRule.Match: [Int: Int]]? {
            loaded.model.steering.tables.first?.key.latency?.rows
        }
        func told(_ loaded: LoadedModel) -> [String] {
            loaded.problems.map { $0.replacing("\(folder.path)/", with: "") }
        }
        let first = try folder.load(yaml)
        for (text, place) in [("DE,b,nonsense\n", "rtt.csv:1:"), ("DE,b,1\nDE-Bavaria,a,2\n", "rtt.csv:2:")] {
            try folder.write("rtt.csv", text)
            let second = try folder.load(yaml, after: first)
            #expect(rows(second) == [.country("DE"): [1: 4, 0: 6]])
            #expect(told(second).count == 1 && told(second)[0].hasPrefix(place), "\(told(second))")
            #expect(second.isUpToDate)
            #expect(try told(folder.load(yaml, after: second)) == told(second))
        }
        try FileManager.default.removeItem(atPath: "\(folder.path)/rtt.csv")
        let gone = try folder.load(yaml, after: first)
        #expect(rows(gone) == rows(first) && told(gone).count == 1)
        #expect(told(gone)[0].hasPrefix("config.yaml:9:48: latency file rtt.csv cannot be read"), "\(told(gone))")
        try folder.write("rtt.csv", "DE,b,5\n")
        #expect(!gone.isUpToDate)
        let mended = try folder.load(yaml, after: gone)
        #expect(mended.problems.isEmpty && rows(mended) == [.country("DE"): [1: 5]])
    }

    @Test("a removed node that a latency file names is reported, and its times are left out")
    func latencyOfGoneNode() throws {
        let folder = try PolicyFolder(["rtt.csv": "DE,b,4\nDE,c,6\n"])
        let pools = "[{id: web, nodes: [b]}]"
        let yaml = simple("strategy: latency, latency: rtt.csv", pools: pools)
        let first = try folder.load(yaml)
        let second = try folder.load(yaml, after: first, without: "c")
        #expect(second.model.steering.tables.first?.key.latency?.rows == [.country("DE"): [1: 4]])
        #expect(
            second.problems.count == 1 && second.problems[0].contains("rtt.csv:2: \"c\" is not a node"),
            "\(second.problems)")
        #expect(try folder.load(yaml, after: second).problems.isEmpty)
    }

    @Test(
        "probable mistakes cause warnings",
        arguments: [
            (simple("rules: [{prefixes: [192.0.2.0/25, 192.0.2.0/24], deny: [a]}]"), ["config.yaml:9:40:"]),
            (simple("ecs: false, rules: [{prefixes: [192.0.2.0/25], deny: [a]}]"), []),
            (simple("strategy: failover"), ["config.yaml:8:9:"]),
            (simple("rules: [{prefixes: ['2002:c000:200::/40'], deny: [a]}]"), ["config.yaml:9:40:"]),
            (simple("rules: [{prefixes: ['::ffff:192.0.2.0/120'], deny: [a]}]"), ["config.yaml:9:40:"]),
            (
                simple("strategy: static", pools: "[{id: web, nodes: [a, {id: b, bias: 5}]}]"), ["config.yaml:8:35:"]
            ),
            (simple("", pools: "[{id: web, nodes: [a, {id: b, bias: 5}]}]"), []),
            (
                simple(
                    "when_all_down: {fallback: spare}", pools: "[{id: web, nodes: [a]}, {id: spare, nodes: [b]}]"),
                ["config.yaml:9:12:"]
            ),
            (
                simple(
                    "", pools: "[{id: web, nodes: [b, c]}]",
                    views: "views: [{id: overlay, clients: [10.0.0.0/8], addresses: overlay}]"),
                ["config.yaml:11:12:"]
            ),
            (simple("", views: "views: [{id: v, clients: [10.0.0.0/8]}]"), ["config.yaml:10:9:"]),
        ] as [(String, [String])])
    func warnings(yaml: String, places: [String]) throws {
        let warnings = try PolicyFolder().warnings(yaml)
        #expect(warnings.map { String($0.prefix { $0 != " " }) } == places, "\(warnings)")
    }

    @Test("names that need too many tables are listed")
    func excess() throws {
        let policies = (0..<130).map { "{id: p\($0), maximum_distance: \($0 + 1)}" }.joined(separator: ", ")
        let names = (0..<130).map { "  - {name: n\($0).example.com, pool: web, policy: p\($0)}\n" }.joined()
        let problems = try PolicyFolder().problems(
            "pools: [{id: web, nodes: [a, b, c]}]\npolicies: [\(policies)]\ntailored:\n\(names)")
        #expect(problems.count == 2, "128 names have two tables each")
        #expect(problems.first?.hasPrefix("config.yaml:139:5: tailored name \"n128.example.com") == true, "\(problems)")
    }

    @Test("members have only the weights, biases and tiers that the policy uses")
    func members() throws {
        let pools = """
            [{id: web, pools: [x, y], minimum: 1}, {id: x, nodes: [{id: a, weight: 2, capacity: 9, bias: 5}]},
             {id: y, nodes: [{id: b, capacity: 7, bias: -5}, {id: c, capacity: 5}], minimum: 2}]
            """
        func key(_ settings: String) throws -> SteeringKey {
            try #require(try PolicyFolder().load(simple(settings, pools: pools)).model.steering.tables.first?.key)
        }
        let failover = try key("strategy: failover")
        #expect(failover.members.map(\.tier) == [0, 1, 1] && failover.tierMinimum == [1, 2])
        #expect(failover.members.map(\.bias) == [5, -5, 0] && failover.members.map(\.weight) == [2, 1, 1])
        let weighted = try key("strategy: weighted, weigh_by: capacity")
        #expect(weighted.members.map(\.tier) == [0, 0, 0] && weighted.tierMinimum.isEmpty)
        #expect(weighted.members.map(\.bias) == [0, 0, 0] && weighted.members.map(\.weight) == [9, 7, 5])
    }

    @Test("the digest covers every setting that decides answers, and nothing else")
    func digest() throws {
        let views = "views: [{id: v, clients: [10.0.0.0/8], addresses: overlay}]"
        let texts =
            [
                "", "strategy: linear", "strategy: stepped", "strategy: linear, bias_factor: 0.5",
                "strategy: linear, same_region: false", "strategy: static", "strategy: weighted", "answers: 2",
                "maximum_distance: 100", "ecs: false", "tolerance: {percent: 1}", "when_all_down: refuse",
                "when_all_down: {addresses: [192.0.2.9]}", "when_all_down: {addresses: [192.0.2.8]}",
                "rules: [{countries: [DE], deny: [a]}]", "rules: [{countries: [DE], deny: [b]}]",
                "rules: [{countries: [DE], pin: [a]}]", "rules: [{continents: [EU], pin: [a]}]",
                "strategy: latency, latency: one.csv", "strategy: latency, latency: two.csv",
            ].map { simple($0) } + [
                simple("", views: views), simple("", views: views.replacing("10.0.0.0/8", with: "10.0.0.0/9")),
                simple("", pools: "[{id: web, nodes: [{id: a, bias: 1}, b, c]}]"),
                simple("", pools: "[{id: web, nodes: [{id: a, weight: 2}, b, c]}]"),
                simple(
                    "strategy: failover",
                    pools: "[{id: web, pools: [x, y]}, {id: x, nodes: [a]}, {id: y, nodes: [b, c]}]"),
                simple(
                    "when_all_down: {fallback: x}", pools: "[{id: web, nodes: [a, b, c]}, {id: x, nodes: [a]}]"),
            ]
        let folder = try PolicyFolder(["one.csv": "DE,a,1\n", "two.csv": "DE,a,2\n"])
        let digests = try texts.map { try folder.load($0).model.digest }
        #expect(Set(digests).count == texts.count)
        #expect(try texts.suffix(2).map { try folder.load($0).model.digest } == Array(digests.suffix(2)))
        #expect(try folder.load("# a comment\n" + simple("")).model.digest == digests[0])
    }

    @Test("clients of an overlay network's view get overlay addresses in each family, or else public ones")
    func overlay() throws {
        let views = "views: [{id: v, clients: [10.0.0.0/8], addresses: overlay}]"
        let model = try PolicyFolder().load(simple("answers: 8", views: views)).model
        let words = NodeWords()
        for node in model.steering.nodes { words.storeIDHash(node.slot, node.idHash) }
        func addresses(_ family: IPFamily, from client: String) throws -> Set<String>? {
            let client = try #require(IPAddress(client))
            let decision = model.decide(0, family: family, client: client, subnet: nil, words: words)
            return decision.map { Set($0.addresses.map(\.description)) }
        }
        #expect(try addresses(.v4, from: "10.1.2.3") == ["10.0.0.1", "10.0.0.3"])
        #expect(try addresses(.v6, from: "10.1.2.3") == ["fd00::3"])
        #expect(try addresses(.v4, from: "11.1.2.3") == ["198.51.100.1", "198.51.100.2", "198.51.100.3"])
        #expect(try addresses(.v6, from: "11.1.2.3") == ["2001:db8::a"])
    }
}
