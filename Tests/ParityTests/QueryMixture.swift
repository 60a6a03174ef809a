import Fixtures
import IPNetworks

/// Random queries, most of them such as resolvers send, the rest bent in one place or another.
struct QueryMixture {
    var random: Deterministic

    /// Options by code that only user space answers, since they are errors: malformed cookies, and a client subnet of
    /// family 0.
    static let declinedOptions: [(UInt16, [UInt8])] = [
        (10, []), (10, [1, 2, 3]), (10, Array(1...15)), (10, Array(1...41)), (8, [0, 0, 0, 0]),
    ]
    /// Options that are answered, or mean nothing over UDP: an identifier asked for, rightly and with data; cookies of the
    /// client's alone and with servers' of several lengths; keepalive, padding, an extended error, and an unknown one.
    static let answeredOptions: [(UInt16, [UInt8])] = [
        (3, []), (3, [1]), (10, Array(1...8)), (10, Array(1...16)), (10, Array(1...24)), (10, Array(1...40)), (11, []),
        (12, Array(repeating: 0, count: 30)), (15, [0, 18]), (65_001, [1, 2, 3]),
    ]

    /// A and AAAA most of all; then TXT, MX, ANY, SVCB, HTTPS, NS, CNAME, SOA, SRV, DNAME, DS, RRSIG, NSEC and DNSKEY;
    /// and MB, MINFO and ZONEMD of the rare ones.
    private static let types: [UInt16] =
        Array(repeating: 1, count: 12) + Array(repeating: 28, count: 8) + [
            16, 15, 255, 64, 65, 2, 5, 6, 33, 39, 43, 46, 47, 48, 7, 14, 63,
        ]

    /// Of names with tailored records.
    private static let recordTypes: [UInt16] = [
        1, 1, 28, 5, 5, 16, 16, 15, 15, 33, 33, 33, 65, 65, 65, 64, 64, 46, 47, 43, 255,
    ]

    init(seed: UInt64) { random = Deterministic(state: seed) }

    mutating func frame() -> Frame {
        let isV4 = Bool.random(using: &random)
        let destination = isV4 ? SampleModel.service4.address : SampleModel.service6.address
        let source = client(isV4)
        var frame = Frame(from: source, to: destination, query(from: source).message)
        frame.sourcePort = UInt16.random(in: 1024...65_535, using: &random)
        if chance(20) { frame.sourcePort = servicePort() }
        if chance(6) { frame.tags = tags() }
        if chance(12) { bend(&frame.message) }
        return frame
    }

    /// One for tailored records other than addresses, well formed.
    mutating func recordFrame() -> Frame {
        let isV4 = Bool.random(using: &random)
        let source = client(isV4)
        var query = recordQuery()
        if !chance(4) { query.opt = opt(from: source) }
        return Frame(
            from: source, to: isV4 ? SampleModel.service4.address : SampleModel.service6.address, query.message)
    }

    private mutating func recordQuery() -> QueryBuilder {
        QueryBuilder(
            spelled(SampleModel.recordNames.randomElement(using: &random) ?? ""),
            type: Self.recordTypes.randomElement(using: &random) ?? 1)
    }

    private mutating func chance(_ oneIn: Int) -> Bool { Int.random(in: 0..<oneIn, using: &random) == 0 }

    /// Addresses the model knows, and some that it does not.
    private mutating func client(_ isV4: Bool) -> IPAddress {
        if isV4 {
            let known = UInt32(16) << 24 + UInt32.random(in: 0..<(4 << 24), using: &random)
            return .v4(chance(8) ? UInt32.random(in: (1 << 24)..<(100 << 24), using: &random) : known)
        }
        let low = UInt128(UInt64.random(in: 0...UInt64.max, using: &random))
        let block = UInt128(UInt64.random(in: 0..<1 << 46, using: &random)) << 58
        if chance(10) {
            return .v6(
                UInt128(0x2002) << 112 | UInt128(0x1000_0000 + UInt32.random(in: 0..<1 << 24, using: &random)) << 80)
        }
        return .v6(UInt128(0x2400) << 112 | block | low >> 8)
    }

    /// Of services that answer whatever they get, of others below 1,024, and of what stands right above.
    private mutating func servicePort() -> UInt16 {
        let ports: [UInt16] = [0, 7, 13, 17, 19, 37, 53, 69, 123, 161, 464, 1023, 1024]
        return ports.randomElement(using: &random) ?? 0
    }

    /// One tag or two, sometimes of a protocol that is none, or one too many.
    private mutating func tags() -> [UInt8] {
        var tags: [UInt8] = []
        for _ in 0..<(chance(20) ? 3 : Int.random(in: 1...2, using: &random)) {
            tags += chance(20) ? [0x91, 0] : Bool.random(using: &random) ? [0x81, 0] : [0x88, 0xa8]
            tags += UInt16.random(in: 0...UInt16.max, using: &random).wire
        }
        return tags
    }

    private mutating func query(from source: IPAddress) -> QueryBuilder {
        var query =
            chance(5)
            ? recordQuery()
            : QueryBuilder(name(), type: Self.types.randomElement(using: &random) ?? 1)
        query.id = UInt16.random(in: 0...UInt16.max, using: &random)
        if chance(3) { query.flags = 0 }
        if chance(30) { query.flags = UInt16.random(in: 0...UInt16.max, using: &random) & 0x7fff }
        if chance(40) { query.recordClass = [3, 4, 254, 255].randomElement(using: &random) ?? 3 }
        if !chance(4) { query.opt = opt(from: source) }
        return query
    }

    private mutating func name() -> String {
        var name = (SampleModel.names + SampleModel.policyNames).randomElement(using: &random) ?? ""
        if chance(3) { name = zoneName() }
        if chance(12) {
            let others = [
                "com", "other.org", "", SampleModel.guardedName, "guarded.test", "version.bind", "id.server",
                "digest.nearcast", SampleModel.longName, SampleModel.longestOfMany,
            ]
            name = (SampleModel.staticNames + others).randomElement(using: &random) ?? ""
        }
        return spelled(name)
    }

    /// Resolvers draw the case of each letter (0x20).
    private mutating func spelled(_ name: String) -> String {
        String(name.map { Bool.random(using: &random) ? Character($0.uppercased()) : $0 })
    }

    /// A name of the zones, or one below it.
    private mutating func zoneName() -> String {
        var name = (SampleModel.zoneNames + SampleModel.staticNames).randomElement(using: &random) ?? ""
        guard chance(3) else { return name }
        if chance(10), name.count < 240 { return SampleModel.longest(below: name) }
        for _ in 0..<Int.random(in: 1...(chance(4) ? 20 : 3), using: &random) {
            name = (["x", "www", "ns", "ns1", "*", "hidden"].randomElement(using: &random) ?? "x") + "." + name
        }
        return name
    }

    private mutating func opt(from source: IPAddress) -> QueryBuilder.OPT {
        var opt = QueryBuilder.OPT()
        opt.payload = [512, 1232, 4096, 0, 65_535].randomElement(using: &random) ?? 1232
        if chance(3) { opt.flags = 0x8000 }
        if chance(40) { opt.flags = UInt16.random(in: 0...UInt16.max, using: &random) }
        if chance(40) { opt.version = UInt8.random(in: 1...255, using: &random) }
        if chance(60) { opt.extendedCode = 1 }
        if !chance(3) {
            let isV4 = Bool.random(using: &random)
            opt.add(subnet: client(isV4), length: Int.random(in: 0...(isV4 ? 32 : 128), using: &random))
        }
        if chance(4) { addFirst(&opt, 10, cookie(from: source)) }
        for _ in 0..<3 where chance(6) {
            let options = chance(8) ? Self.declinedOptions : Self.answeredOptions
            let (code, data) = options.randomElement(using: &random) ?? (3, [])
            addFirst(&opt, code, data)
        }
        if chance(25), !opt.options.isEmpty {
            opt.options[Int.random(in: 0..<opt.options.count, using: &random)] ^=
                1 << UInt8.random(in: 0...7, using: &random)
        }
        return opt
    }

    /// Before the others as often as behind them.
    private mutating func addFirst(_ opt: inout QueryBuilder.OPT, _ code: UInt16, _ data: [UInt8]) {
        let others = Bool.random(using: &random) ? opt.options : []
        if !others.isEmpty { opt.options = [] }
        opt.add(code, data)
        opt.options += others
    }

    /// One of the server's for this sender, of any age, by any of its secrets; sometimes of another sender's.
    private mutating func cookie(from source: IPAddress) -> [UInt8] {
        let client = (0..<8).map { _ in UInt8.random(in: 0...255, using: &random) }
        let ages = [0, 1, 1799, 1800, 3600, 3601, -300, -301, Int.random(in: -400...4000, using: &random)]
        let age = ages.randomElement(using: &random) ?? 0
        let secret = TestCookie.secrets.randomElement(using: &random) ?? []
        let sender = chance(8) ? IPAddress.v4(0x1001_0101) : source
        var cookie = TestCookie.whole(
            client, for: sender, at: UInt32(Int(BothPaths.second) - age),
            by: chance(8) ? Array(repeating: 9, count: 16) : secret)
        if chance(10) { cookie[Int.random(in: 8..<24, using: &random)] ^= 1 }
        return cookie
    }

    private mutating func bend(_ message: inout [UInt8]) {
        switch Int.random(in: 0..<4, using: &random) {
        case 0: message[Int.random(in: 0..<message.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
        case 1: message.removeLast(Int.random(in: 1...message.count - 1, using: &random))
        case 2: message += (0..<Int.random(in: 1...20, using: &random)).map { _ in 0 }
        default: message[Int.random(in: 4..<12, using: &random) % message.count] ^= 1
        }
    }
}

/// A generator with a seed, so that a failure repeats.
struct Deterministic: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var x = state
        x = (x ^ (x >> 30)) &* 0xbf58_476d_1ce4_e5b9
        x = (x ^ (x >> 27)) &* 0x94d0_49bb_1331_11eb
        return x ^ (x >> 31)
    }
}
