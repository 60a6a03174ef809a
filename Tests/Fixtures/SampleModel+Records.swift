import CFastPathABI
import DNSWire
import IPNetworks
import Resolution
import Steering

/// Names of tailored records other than addresses, and the hosts that these lead to.
extension SampleModel {
    public static let recordNames =
        [
            "cdn.example.com", "away.example.com", "led.example.com", "edges.example.com", "seen.example.com",
            "strict.example.com",
            "_http._tcp.example.com", "_sip._udp.example.com", "_in._tcp.example.com", "_near._tcp.example.com",
            "_strict._tcp.example.com",
            "www.example.com", "three.example.com", "v4only.example.com", "_dns.example.com",
            "_port.office.example.com",
            "texts.example.com", "x.texts.example.com", "long.texts.example.com", "mailed.example.com",
            "ranked.example.com", "x.mailed.example.com", "x.y.mailed.example.com",
        ] + wildcardNames

    /// Tailored wildcards, names that they cover, and names that block them.
    public static let wildcardNames = [
        "*.app.example.com", "x.app.example.com", "a.b.app.example.com", "app.example.com", "taken.app.example.com",
        "x.taken.app.example.com", "deep.ent.app.example.com", "ent.app.example.com", "x.ent.app.example.com",
        "x.viewed.example.com", "x.cdn2.example.com", "x.y.cdn2.example.com", "x.in.example.com",
        "a.b.c.d.e.f.g.h.i.in.example.com", "x.e1.nodes2.example.com", "x.nodes2.example.com", "x.svc.example.com",
        "x.policy.example.com", "x.v4.example.com", "to-app.example.com", longest(below: "app.example.com"),
        longest(below: "in.example.com"), longest(below: "nodes2.example.com"),
    ]

    /// The hosts of the first eight nodes: some with addresses here, one alias, one that is not there.
    static func addHosts(_ add: (String, RecordType, [UInt8]) throws -> Void) throws {
        func wire(_ text: String) throws -> [UInt8] { try DomainName(text).wire }
        for node in [0, 1, 2, 3, 5, 6] { try add("e\(node).nodes.example.com", .a, [192, 0, 7, UInt8(node)]) }
        for node in [1, 2, 6] { try add("e\(node).nodes.example.com", .aaaa, Array(repeating: UInt8(node), count: 16)) }
        for node in [0, 1, 3] {
            try add("near\(node).example.com", .a, [192, 0, 8, UInt8(node)])
            try add("near\(node).example.com", .aaaa, Array(repeating: UInt8(node), count: 16))
        }
        try add("near2.example.com", .aaaa, Array(repeating: 2, count: 16))
        for number in 0..<3 { try add("near5.example.com", .a, [192, 0, 9, UInt8(number)]) }
        try add("taken.app.example.com", .txt, [1, 120])
        try add("*.app.example.com", .txt, [4] + Array("wild".utf8))
        try add("to-app.example.com", .cname, wire("x.app.example.com"))
        for node in [1, 2] { try add("e\(node).nodes2.example.com", .a, [192, 0, 10, UInt8(node)]) }
        try add("e4.nodes.example.com", .cname, wire("e5.nodes.example.com"))
        try add("e6.nodes.example.com", .https, [0, 1, 0])
    }
}

extension SampleModel.Plan {
    private mutating func add(
        _ text: String, _ content: TailoredRecords.Content, answers: UInt8 = 1, allDown: nc_all_down = NC_ALL_DOWN_OPEN,
        views: [Int: TailoredRecords.Content] = [:]
    ) throws {
        let rule = nc_rule(
            ttl_min: 5, ttl_max: 300, answers: answers, all_down: UInt8(allDown.rawValue), ecs: 1, reserved: 0)
        func choice(_ content: TailoredRecords.Content) -> TailoredRecords.Choice {
            TailoredRecords.Choice(rule: rule, content: content, pool: "pool", policy: "policy")
        }
        records.append(
            TailoredRecords(name: try DomainName(text), choice: choice(content), views: views.mapValues(choice)))
    }

    /// Names of each type; those of HTTPS have addresses too.
    mutating func addRecords() throws {
        try addAliases()
        try addServices()
        try addBindings()
        try addWildcards()
        try addTextsAndExchanges()
    }

    /// Some at names with other tailored records, some below a wildcard. Some texts are more than the program takes.
    private mutating func addTextsAndExchanges() throws {
        let first = nodes.indices.prefix(8)
        keys.append(
            SteeringKey(members: first.map { PoolMember(node: $0, weight: 1) }, tolerance: Tolerance(), family: nil))
        let chain = SteeringChain(steps: [.init(table: keys.count - 1)], isOpen: true)
        func texts(_ data: (Int) -> [String]) -> [Int: [UInt8]] {
            Dictionary(
                uniqueKeysWithValues: first.map { node in
                    (
                        nodes[node].slot,
                        data(node).flatMap { text -> [UInt8] in
                            [0, UInt8(1 + text.utf8.count), UInt8(text.utf8.count)] + Array(text.utf8)
                        }
                    )
                })
        }
        func hosts(_ name: (Int) -> String) throws -> [Int: [UInt8]] {
            try Dictionary(uniqueKeysWithValues: first.map { (nodes[$0].slot, try DomainName(name($0)).wire) })
        }
        try add("www.example.com", .texts(chain, texts { ["region=r\($0)"] }))
        try add("texts.example.com", .texts(chain, texts { node in (0...node).map { "text \($0) of \(node)" } }))
        try add("*.texts.example.com", .texts(chain, texts { ["wild \($0)"] }))
        try add(
            "long.texts.example.com", .texts(chain, texts { [String(repeating: "t", count: 100 + 20 * $0), "second"] }))
        try add("www.example.com", .exchanges(chain, preference: 10, hosts: hosts { "mx\($0).example.net" }))
        try add("mailed.example.com", .exchanges(chain, preference: 5, hosts: hosts { "near\($0).example.com" }))
        try add(
            "ranked.example.com", .exchanges(chain, preference: 65_530, hosts: hosts { "near\($0).example.com" }),
            answers: 3)
        try add("*.mailed.example.com", .exchanges(chain, preference: 0, hosts: hosts { "e\($0).nodes.example.com" }))
    }

    /// Wildcards of every kind. One has a name of its own below it, one an alias into its own branch.
    private mutating func addWildcards() throws {
        let first = nodes.indices.prefix(8)
        let members = first.map { PoolMember(node: $0, weight: UInt16($0 + 1)) }
        add("*.app.example.com", members, answers: 1, tolerance: Tolerance(kilometres: 30_000))
        add("*.policy.example.com", everyone, answers: 3, ecs: 0, allDown: NC_ALL_DOWN_USER_SPACE)
        add("*.v4.example.com", [PoolMember(node: 0, weight: 1), PoolMember(node: 3, weight: 2)], answers: 2)
        add("deep.ent.app.example.com", members, answers: 1)
        keys.append(SteeringKey(members: members, tolerance: Tolerance(kilometres: 30_000), family: nil))
        let chain = SteeringChain(steps: [.init(table: keys.count - 1)], isOpen: true)
        func hosts(_ name: (Int) -> String) throws -> [Int: [UInt8]] {
            try Dictionary(uniqueKeysWithValues: first.map { (self.nodes[$0].slot, try DomainName(name($0)).wire) })
        }
        try add("*.cdn2.example.com", .alias(chain, hosts: hosts { "cdn\($0).example.net" }))
        try add("*.in.example.com", .alias(chain, hosts: hosts { "e\($0).nodes.example.com" }))
        try add("*.nodes2.example.com", .alias(chain, hosts: hosts { "e\($0).nodes2.example.com" }))
        let service = try first.prefix(3).map {
            TailoredRecords.Service(
                slot: nodes[$0].slot, priority: 10, weight: 256, port: 80, host: try DomainName("sip\($0).example.net"))
        }
        try add("*.svc.example.com", .services(service, fallback: []))
        let wildcard = try DomainName("*.app.example.com")
        let choice = tailored.first { $0.name == wildcard }?.choice
        try add(
            "*.app.example.com",
            .binding(
                type: .https, v4: choice?.v4, v6: choice?.v6,
                prefix: TailoredRecords.bindingPrefix(port: nil, protocols: ["h2"])))
    }

    /// In zones that are served where tests change them, and that are not elsewhere.
    private static let changingHosts = [
        "h0.over.test", "n1.over.test", "x.w.over.test", "alias.over.test", "b.ent.over.test", "far.few.test",
        "www.kid.over.test", "under.few.test",
    ]

    private mutating func addAliases() throws {
        let first = nodes.indices.prefix(8)
        keys.append(
            SteeringKey(members: first.map { PoolMember(node: $0, weight: 1) }, tolerance: Tolerance(), family: nil))
        let chain = SteeringChain(steps: [.init(table: keys.count - 1)], isOpen: true)
        let strict = SteeringChain(steps: [.init(table: keys.count - 1)], isOpen: false)
        func hosts(_ nodes: some Collection<Int>, _ name: (Int) -> String) throws -> [Int: [UInt8]] {
            try Dictionary(
                uniqueKeysWithValues: nodes.map { (self.nodes[$0].slot, try DomainName(name($0)).wire) })
        }
        try add("cdn.example.com", .alias(chain, hosts: hosts(first) { _ in "host.example.com" }))
        let away = try hosts(first.dropLast()) { $0 < 3 ? "N\($0).Example.org" : "n\($0).away.example.com.edge.test" }
        try add("away.example.com", .alias(chain, hosts: away))
        try add("edges.example.com", .alias(chain, hosts: hosts(first) { "e\($0).nodes.example.com" }))
        try add(
            "seen.example.com", .alias(chain, hosts: away),
            views: [0: .alias(chain, hosts: hosts(first) { "inner\($0).example.net" })])
        try add("led.example.com", .alias(chain, hosts: hosts(first) { Self.changingHosts[$0] }))
        try add("strict.example.com", .alias(strict, hosts: away), allDown: NC_ALL_DOWN_USER_SPACE)
    }

    private mutating func addServices() throws {
        func services(_ nodes: Range<Int>, _ host: (Int) -> String) throws -> [TailoredRecords.Service] {
            try nodes.map {
                TailoredRecords.Service(
                    slot: self.nodes[$0].slot, priority: 10, weight: 256, port: 8080, host: try DomainName(host($0)))
            }
        }
        try add("_http._tcp.example.com", .services(services(0..<6) { _ in "host.example.com" }, fallback: []))
        try add(
            "_sip._udp.example.com",
            .services(
                services(0..<5) { "sip\($0).example.net" }, fallback: services(20..<22) { "spare\($0).example.net" }))
        try add("_in._tcp.example.com", .services(services(0..<4) { "e\($0).nodes.example.com" }, fallback: []))
        try add("_pair._tcp.example.com", .services(services(1..<3) { "near\($0).example.com" }, fallback: []))
        try add("_near._tcp.example.com", .services(services(2..<6) { "Near\($0).example.com" }, fallback: []))
        try add(
            "_strict._tcp.example.com", .services(services(0..<2) { "strict\($0).example.net" }, fallback: []),
            allDown: NC_ALL_DOWN_USER_SPACE)
    }

    private mutating func addBindings() throws {
        func binding(
            _ type: RecordType, of name: String, port: UInt16?, protocols: [String]
        ) throws -> TailoredRecords.Content {
            let name = try DomainName(name)
            let choice = tailored.first { $0.name == name }?.choice
            return .binding(
                type: type, v4: choice?.v4, v6: choice?.v6,
                prefix: TailoredRecords.bindingPrefix(port: port, protocols: protocols))
        }
        try add("www.example.com", binding(.https, of: "www.example.com", port: 8443, protocols: ["h2", "h3"]))
        try add("three.example.com", binding(.https, of: "three.example.com", port: nil, protocols: ["h3"]), answers: 3)
        try add("v4only.example.com", binding(.https, of: "v4only.example.com", port: nil, protocols: []), answers: 2)
        try add("_dns.example.com", binding(.svcb, of: "www.example.com", port: 853, protocols: ["dot"]))
        try add("_port.office.example.com", binding(.svcb, of: "bands.example.com", port: 1, protocols: []), answers: 2)
    }
}
