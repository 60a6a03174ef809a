import CFastPathABI
import DNSWire
public import IPNetworks
import Location
public import Resolution
public import Steering
import Zones

/// A small world for tests of both paths: forty nodes, a patchwork of places over some networks of both families, and
/// names for each rule there is.
public struct SampleModel: Sendable {
    public let model: ServingModel
    public let words = NodeWords()

    /// Names and what they are for.
    public static let names = [
        "www.example.com", "three.example.com", "all.example.com", "bands.example.com", "noecs.example.com",
        "refuse.example.com", "v4only.example.com", "far.example.com",
        "a.very.long.name.with.many.labels.that.reaches.well.past.eight.words.example.com",
        longest(below: "example.com"),
    ]

    /// Views' networks: an overlay's, and an office's with a part of the other inside.
    public static let viewNetworks = [
        ["16.32.0.0/11", "2400:4000::/18"], ["17.0.0.0/16", "16.32.1.0/24", "2400::/20"],
    ]
    .map { $0.compactMap { IPPrefix($0) } }

    /// A name below another that takes 255 bytes on the wire, the most there are (RFC 1035, section 2.3.4).
    public static func longest(below parent: String) -> String {
        var name = parent
        while name.count < 253 {
            let free = 252 - name.count
            name = String(repeating: "l", count: free > 64 ? 63 : free == 64 ? 62 : free) + "." + name
        }
        return name
    }

    /// A name of 125 bytes on the wire, with eight addresses of each family.
    public static let longName =
        Array(repeating: String(repeating: "x", count: 27), count: 4).joined(separator: ".")
        + ".example.com"

    /// The same for one of 255 bytes.
    public static let longestOfMany = longest(below: "many.example.com")

    /// A tailored name of a zone with an access list, which admits IPv4 clients of even first bytes and no others.
    public static let guardedName = "www.guarded.test"

    public static let service4 = SocketEndpoint(address: .v4(0xc000_0235), port: 53)  // 192.0.2.53
    public static let service6 = SocketEndpoint(address: .v6(0x2001_0db8_0053 << 80 | 0x53), port: 53)
    public static let services = [service4, service6]

    /// - Parameters:
    ///   - drawn: more names, with hosts of their own.
    ///   - variant: 0 to 15; models of different variants choose other nodes, which have other addresses.
    ///   - displacement: how many numbers further the place of each network is.
    ///   - longName: Whether there is one of the longest replies.
    ///   - viewNetworks: Of two views, the first one for overlay addresses.
    public init(
        epoch: UInt64 = 1, variant: Int = 0, displacement: UInt32 = 0, longName: Bool = false,
        viewNetworks: [[IPPrefix]] = Self.viewNetworks,
        drawn: DrawnRecords? = nil
    ) throws {
        let nodes = (0..<40).map { Self.node($0, variant: variant) }
        let places = PlaceTable([.unknown] + (0..<500).map(Self.place))
        var plan = Plan(nodes: nodes)
        plan.add("www.example.com", plan.everyone, answers: 1)
        plan.add("three.example.com", plan.everyone, answers: 3)
        plan.add("all.example.com", (0..<6).map { PoolMember(node: $0, weight: 1) }, answers: 8)
        plan.add(
            "bands.example.com", plan.everyone.map { PoolMember(node: $0.node, weight: UInt16($0.node + 1)) },
            answers: 2, tolerance: Tolerance(kilometres: 3000))
        plan.add("noecs.example.com", plan.everyone, answers: 1, ecs: 0)
        plan.add("refuse.example.com", [PoolMember(node: 1, weight: 1)], answers: 1, allDown: NC_ALL_DOWN_USER_SPACE)
        plan.add("v4only.example.com", [PoolMember(node: 0, weight: 1), PoolMember(node: 3, weight: 2)], answers: 2)
        plan.add("far.example.com", Array(plan.everyone.suffix(20)), answers: 5, tolerance: Tolerance(percent: 2))
        plan.add(Self.names[8], plan.everyone, answers: 1)
        plan.add(Self.names[9], plan.everyone, answers: 1)
        if longName {
            plan.add(Self.longName, plan.everyone, answers: 8)
            plan.add(Self.longestOfMany, plan.everyone, answers: 8)
        }
        plan.add(Self.guardedName, plan.everyone, answers: 1)
        try plan.addPolicies()
        try plan.addRecords()
        if let drawn { try plan.add(drawn) }
        let views = [("overlay", true), ("office", false)].enumerated().map { index, view in
            Views.View(id: view.0, clients: viewNetworks[index], isOverlay: view.1)
        }

        model = ServingModel(
            epoch: epoch, digest: 0xd16e57, zones: try Self.zones(plan.tailored, plan.records, drawn?.hosts ?? []),
            tailored: plan.tailored,
            tailoredRecords: plan.records, views: Views(views),
            steering: try SteeringTables(keys: plan.keys, nodes: nodes, places: places),
            location: try LocationTable(
                v4: Self.rangesV4(displacement), v6: Self.rangesV6(displacement)), places: places)
        for node in nodes {
            words.storeIDHash(node.slot, node.idHash)
            words.store(node.slot, nc_node_word(NC_NODE_UP.rawValue, UInt32(NC_SHARE_FULL), NC_TTL_STABLE, 0))
        }
    }

    private static func place(_ index: Int) -> Place {
        Place(
            coordinates: Coordinates(
                latitude: Int32(index / 3 - 83) * 1_000_000, longitude: Int32((index * 37) % 360 - 180) * 1_000_000),
            country: "C\(index % 12)", region: "R\(index % 3)", continent: index.isMultiple(of: 2) ? "EU" : "AS",
            labels: index % 7 == 0 ? ["asn:64500"] : index % 7 == 1 ? ["lab"] : [])
    }

    private static func node(_ index: Int, variant: Int) -> SteeringNode {
        let number = variant << 8 + index
        let v4 = IPAddress.v4(0xc612_0000 + UInt32(number))
        let v6 = IPAddress.v6(0x2001_0db8_0018 << 80 | UInt128(number))
        let longitude = (index * 47 + variant * 90) % 360 - 180
        let overlay = [IPAddress.v4(0x0a40_0000 + UInt32(number)), .v6(0xfd00 << 112 | UInt128(number))]
        return SteeringNode(
            id: "node\(index)", slot: (index * 7) % 40, addresses: index % 3 == 0 ? [v4] : [v4, v6],
            overlay: Array(overlay.prefix(index % 5 == 0 ? 2 : index % 5 == 1 ? 1 : 0)),
            coordinates: Coordinates(
                latitude: Int32(index * 4 - 80) * 1_000_000, longitude: Int32(longitude) * 1_000_000),
            country: "C\(index / 4)", region: "R\(index % 3)")
    }

    /// Collects names and the steering tables they need.
    struct Plan {
        let nodes: [SteeringNode]
        var keys: [SteeringKey] = []
        var tailored: [TailoredName] = []
        var records: [TailoredRecords] = []

        var everyone: [PoolMember] { nodes.indices.map { PoolMember(node: $0, weight: 1) } }

        init(nodes: [SteeringNode]) { self.nodes = nodes }

        mutating func add(
            _ name: String, _ members: [PoolMember], answers: UInt8, tolerance: Tolerance = Tolerance(), ecs: UInt8 = 1,
            allDown: nc_all_down = NC_ALL_DOWN_OPEN
        ) {
            func table(_ family: IPFamily) -> Int? {
                guard members.contains(where: { nodes[$0.node].address(family) != nil }) else { return nil }
                keys.append(SteeringKey(members: members, tolerance: tolerance, family: family))
                return keys.count - 1
            }
            let rule = nc_rule(
                ttl_min: 5, ttl_max: 300, answers: answers, all_down: UInt8(allDown.rawValue), ecs: ecs, reserved: 0)
            guard let name = try? DomainName(name) else { return }
            tailored.append(
                TailoredName(name: name, rule: rule, v4: table(.v4), v6: table(.v6), pool: "pool", policy: "policy"))
        }
    }

    private static func zones(
        _ tailored: [TailoredName], _ records: [TailoredRecords], _ hosts: [DrawnRecords.Host]
    ) throws -> ZoneSet {
        var builder = ZoneBuilder(apex: try DomainName("example.com"))
        let soa = try DomainName("ns1.example.com").wire + DomainName("hostmaster.example.com").wire
        let numbers: [UInt8] = [0, 0, 0, 1, 0, 0, 14, 16, 0, 0, 3, 132, 0, 9, 58, 128, 0, 0, 1, 44]
        func add(_ name: String, _ type: RecordType, _ data: [UInt8]) throws {
            try builder.add(
                ResourceRecord(owner: try DomainName(name), type: type, recordClass: .in, ttl: 3600, data: data))
        }
        try add("example.com", .soa, soa + numbers)
        try add("example.com", .ns, try DomainName("ns1.example.com").wire)
        try add("ns1.example.com", .a, [192, 0, 2, 53])
        try add("alias.example.com", .cname, try DomainName("www.example.com").wire)
        try addStatic(add)
        for host in hosts { try add(host.name, host.type, host.data) }
        let guarded = try DomainName("guarded.test")
        var guardedBuilder = ZoneBuilder(apex: guarded)
        try guardedBuilder.add(
            ResourceRecord(owner: guarded, type: .soa, recordClass: .in, ttl: 3600, data: soa + numbers))
        for name in tailored {
            if name.name.isSubdomain(of: guarded) {
                try guardedBuilder.addTailoredName(name.name)
            } else {
                try builder.addTailoredName(name.name)
            }
        }
        for entry in records {
            try builder.addTailoredName(entry.name, as: Self.kinds[entry.type] ?? [])
        }
        let allow = stride(from: 0, to: 256, by: 2).map {
            IPPrefix(address: .v4(UInt32($0) << 24), length: 8)
        }
        return try ZoneSet(
            [try builder.build(), try guardedBuilder.build()] + staticZones(),
            access: [guarded: AccessList(allow: allow, deny: [])])
    }

    private static let kinds: [RecordType: TailoredKinds] = [
        .srv: .srv, .cname: .alias, .https: .https, .svcb: .svcb, .txt: .txt, .mx: .mx,
    ]

    /// Names of data that are not tailored for the program.
    public static let staticNames = [
        "example.com", "ns1.example.com", "alias.example.com", "x.wild.example.com", "wild.example.com",
        "x.aliases.example.com", "child.example.com", "www.child.example.com", "x.dname.example.com",
        "loop.example.com", "mail.example.com", "nothing.example.com", "cdn.example.com", "_http._tcp.example.com",
        "host.example.com", "_dns.example.com",
    ]

    private static func addStatic(_ add: (String, RecordType, [UInt8]) throws -> Void) throws {
        func wire(_ text: String) throws -> [UInt8] { try DomainName(text).wire }
        try add("*.wild.example.com", .a, [192, 0, 2, 1])
        try add("*.aliases.example.com", .cname, wire("x.wild.example.com"))
        try add("child.example.com", .ns, wire("ns.child.example.com"))
        try add("child.example.com", .ds, [0, 1, 13, 2] + Array(repeating: 7, count: 32))
        try add("ns.child.example.com", .a, [192, 0, 2, 2])
        try add("dname.example.com", .dname, wire("wild.example.com"))
        try add("loop.example.com", .cname, wire("loop.example.com"))
        // One host is tailored, the other is not.
        try add("mail.example.com", .mx, [0, 1] + wire("www.example.com"))
        try add("mail.example.com", .mx, [0, 2] + wire("ns1.example.com"))
        try add("host.example.com", .a, [192, 0, 2, 7])
        try add("host.example.com", .aaaa, Array(repeating: 7, count: 16))
        try addHosts(add)
    }

    /// 16.0.0.0/6, in blocks of every size from /12 to /32.
    private static func rangesV4(_ displacement: UInt32) -> PlaceRanges<UInt32> {
        var ranges = PlaceRanges<UInt32>()
        var (address, step) = (UInt32(16) << 24, UInt64(1))
        while address < 20 << 24 {
            ranges.set(from: address, place: UInt32((nc_mix(step) + UInt64(displacement)) % 501))
            address += 1 << UInt32(nc_mix(step ^ 0x5151) % 21)
            step += 1
        }
        ranges.set(from: 20 << 24, place: 0)
        return ranges
    }

    /// 2400::/16, in blocks of /20 to /72.
    private static func rangesV6(_ displacement: UInt32) -> PlaceRanges<UInt128> {
        var ranges = PlaceRanges<UInt128>()
        var (address, step) = (UInt128(0x2400) << 112, UInt64(1))
        for _ in 0..<4000 {
            ranges.set(from: address, place: UInt32((nc_mix(step) + UInt64(displacement)) % 501))
            address += 1 << UInt128(56 + nc_mix(step ^ 0x5151) % 44)
            step += 1
        }
        ranges.set(from: address, place: 0)
        return ranges
    }
}
