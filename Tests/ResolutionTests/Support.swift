import DNSWire
import IPNetworks
import Resolution
import Zones

/// The name of `text`, which the test has written correctly.
func name(_ text: String) -> DomainName {
    do { return try DomainName(text) } catch { preconditionFailure("\(text): \(error)") }
}

func address(_ text: String) -> IPAddress {
    guard let address = IPAddress(text) else { preconditionFailure(text) }
    return address
}

/// Bytes from commented hex: "--" opens a comment, blanks are ignored.
func hex(_ text: String) -> [UInt8] {
    let digits = text.split(separator: "\n").flatMap { line in
        line.prefix(upTo: line.firstRange(of: "--")?.lowerBound ?? line.endIndex).compactMap(\.hexDigitValue)
    }
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

extension UInt16 {
    var networkBytes: [UInt8] { [UInt8(self >> 8), UInt8(self & 255)] }
}

/// A query, built field by field.
struct Query {
    var id: UInt16 = 0x1234
    var flags: UInt16 = 0x0100
    var name: String
    var type: RecordType = .a
    var recordClass = RecordClass.in
    /// Payload size, TTL field and options of the OPT record.
    var edns: (payload: UInt16, ttl: [UInt8], options: [UInt8])?

    var bytes: [UInt8] {
        var bytes = id.networkBytes + flags.networkBytes + [0, 1, 0, 0, 0, 0, 0, edns == nil ? 0 : 1]
        bytes += wireName(name) + type.rawValue.networkBytes + recordClass.rawValue.networkBytes
        if let edns {
            bytes += [0, 0, 41] + edns.payload.networkBytes + edns.ttl + UInt16(edns.options.count).networkBytes
            bytes += edns.options
        }
        return bytes
    }

    /// With an OPT record of version 0 and these options.
    func with(payload: UInt16 = 1232, dnssecOK: Bool = false, options: [UInt8] = []) -> Query {
        var query = self
        query.edns = (payload, [0, 0, dnssecOK ? 0x80 : 0, 0], options)
        return query
    }

    /// With the client subnet `prefix`.
    func from(_ prefix: String) -> Query {
        guard let prefix = IPPrefix(prefix) else { preconditionFailure(prefix) }
        let address = prefix.address.bytes.prefix((prefix.length + 7) / 8)
        return with(
            options: [0, 8, 0, UInt8(4 + address.count), 0, prefix.family.rawValue, UInt8(prefix.length), 0] + address)
    }
}

private func wireName(_ text: String) -> [UInt8] { name(text).wire }

/// A reply, read back in a plain way that shares no code with the writer.
struct Reply {
    struct Record: CustomStringConvertible {
        var owner: String
        var type: RecordType
        var ttl: UInt32
        var data: [UInt8]
        /// Owner, type, TTL and, where it is a name, an address or a pair of them, readable RDATA.
        var description: String
    }

    var bytes: [UInt8]
    var verdict: Verdict
    var answer: [Record] = []
    var authority: [Record] = []
    var additional: [Record] = []
    var opt: Record?

    var code: Int { Int(bytes[3] & 15) | Int(opt.map { $0.ttl >> 24 } ?? 0) << 4 }
    var isAuthoritative: Bool { bytes[2] & 4 != 0 }
    var isTruncated: Bool { bytes[2] & 2 != 0 }
    /// Options of the reply, in order.
    var options: [(code: UInt16, data: [UInt8])] {
        var options: [(code: UInt16, data: [UInt8])] = []
        var rest = (opt?.data ?? [])[...]
        while rest.count >= 4 {
            let fields = rest.prefix(4).map(UInt16.init)
            let length = Int(fields[2] << 8 | fields[3])
            options.append((fields[0] << 8 | fields[1], Array(rest.dropFirst(4).prefix(length))))
            rest = rest.dropFirst(4 + length)
        }
        return options
    }
    /// The first option of a code.
    func option(_ code: UInt16) -> [UInt8]? { options.first { $0.code == code }?.data }
    /// Scope of the client subnet in the reply.
    var scope: UInt8? { opt.flatMap { $0.data.count >= 8 ? $0.data[7] : nil } }

    init(_ bytes: [UInt8], _ verdict: Verdict) {
        self.bytes = bytes
        self.verdict = verdict
        guard bytes.count >= 12 else { return }
        var position = 12
        for _ in 0..<number(4, 2) {
            _ = readName(&position)
            position += 4
        }
        for _ in 0..<number(6, 2) { answer.append(readRecord(&position)) }
        for _ in 0..<number(8, 2) { authority.append(readRecord(&position)) }
        for _ in 0..<number(10, 2) {
            let record = readRecord(&position)
            if record.type == .opt { opt = record } else { additional.append(record) }
        }
        precondition(position == bytes.count, "bytes are left over after the reply")
    }

    private func number(_ offset: Int, _ count: Int) -> Int {
        bytes[offset..<offset + count].reduce(0) { $0 << 8 | Int($1) }
    }

    private func readName(_ position: inout Int) -> String {
        var (text, place, jumped) = ("", position, false)
        while bytes[place] != 0 {
            if bytes[place] >= 0xC0 {
                if !jumped { position = place + 2 }
                (place, jumped) = (number(place, 2) & 0x3FFF, true)
                continue
            }
            text += String(decoding: bytes[place + 1...place + Int(bytes[place])], as: UTF8.self) + "."
            place += 1 + Int(bytes[place])
        }
        if !jumped { position = place + 1 }
        return text.isEmpty ? "." : text
    }

    private func readRecord(_ position: inout Int) -> Record {
        let owner = readName(&position)
        let type = RecordType(rawValue: UInt16(number(position, 2)))
        let ttl = UInt32(number(position + 4, 4))
        let length = number(position + 8, 2)
        position += 10
        let data = Array(bytes[position..<position + length])
        var text = ""
        switch type {
        case .a, .aaaa: text = IPAddress(bytes: data)?.description ?? "?"
        case .cname, .dname, .ns:
            var place = position
            text = readName(&place)
        default: text = "\(length) bytes"
        }
        position += length
        return Record(owner: owner, type: type, ttl: ttl, data: data, description: "\(owner) \(ttl) \(type) \(text)")
    }
}

/// Tailored names with answers that the tests can foresee.
struct FixedTailored: TailoredResolving {
    /// www has addresses of both families, v4only IPv4 only, denied refuses, many has 100 addresses.
    let names = [
        "www.example.com", "v4only.example.com", "denied.example.com", "many.example.com", "deep.ent.example.com",
    ]

    func tailoredIndex(of lowercasedWire: UnsafeRawBufferPointer) -> Int? {
        names.firstIndex { name($0).wire == Array(lowercasedWire) }
    }

    func decide(
        index: Int, type: RecordType, client: IPAddress, subnet: ClientSubnet?, nameHash: UInt64?
    ) -> TailoredDecision {
        switch (names[index], type) {
        case ("denied.example.com", _): .refused
        case ("v4only.example.com", .aaaa): .noData
        case ("many.example.com", .a):
            .answer(TailoredAnswer(addresses: (0..<100).map { .v4(0xC633_6400 + $0) }, ttl: 30, scope: 20))
        case (_, .a):
            // A client of the other family has no address that an A record could show.
            .answer(
                TailoredAnswer(
                    addresses: [subnet?.address ?? client, .v4(0xC633_6401)].filter { $0.family == .v4 }, ttl: 60,
                    scope: 24))
        default: .answer(TailoredAnswer(addresses: [address("2001:db8:10::1")], ttl: 60, scope: 48))
        }
    }
}

func txt(_ text: String) -> [UInt8] { [UInt8(text.utf8.count)] + Array(text.utf8) }

/// example.com and example.net, with one of everything.
func testZones(access: [DomainName: AccessList] = [:]) throws -> ZoneSet {
    let numbers: [UInt8] = hex("00000001 00000e10 00000384 00093a80 0000012c")  // MINIMUM is 300
    func soa(_ zone: String) -> [UInt8] { name("ns1." + zone).wire + name("admin." + zone).wire + numbers }
    func ns(_ text: String) -> [UInt8] { name(text).wire }
    let com: [(String, RecordType, UInt32, [UInt8])] = [
        ("", .soa, 3600, soa("example.com")), ("", .ns, 3600, ns("ns1.example.com")),
        ("", .ns, 3600, ns("ns2.example.net")),
        ("", .mx, 3600, [0, 10] + name("mail.example.com").wire), ("ns1.", .a, 300, [192, 0, 2, 53]),
        ("static.", .a, 300, [192, 0, 2, 1]), ("static.", .a, 300, [192, 0, 2, 2]),
        ("static.", .txt, 300, txt("hello")),
        ("*.wild.", .a, 300, [192, 0, 2, 3]), ("real.wild.", .txt, 300, txt("no address")),
        ("a.b.c.", .a, 300, [192, 0, 2, 4]), ("*.alias.wild2.", .cname, 300, ns("static.example.com")),
        ("alias.", .cname, 60, ns("static.example.com")), ("alias2.", .cname, 60, ns("alias.example.com")),
        ("toother.", .cname, 60, ns("host.example.net")), ("totailored.", .cname, 60, ns("www.example.com")),
        ("tonothing.", .cname, 60, ns("missing.example.net")), ("outside.", .cname, 60, ns("www.example.org")),
        ("loop1.", .cname, 60, ns("loop2.example.com")), ("loop2.", .cname, 60, ns("loop1.example.com")),
        ("tochild.", .cname, 60, ns("www.child.example.com")),
        ("child.", .ns, 3600, ns("ns.child.example.com")), ("child.", .ns, 3600, ns("ns1.example.com")),
        ("child.", .ns, 3600, ns("ns.example.org")), ("ns.child.", .a, 300, [192, 0, 2, 99]),
        ("child.", .ds, 300, [0, 1, 13, 2] + Array(repeating: 7, count: 32)),
        ("dname.", .dname, 120, ns("example.net")),
        ("www.", .txt, 300, txt("tailored too")), ("sub.", .ns, 60, ns("ns1.example.com")),
    ]
    let long = DomainName(
        wire: Array([[63] + Array(repeating: 0x61, count: 63), [63] + Array(repeating: 0x62, count: 63)].joined())
            + name("example.org").wire)!
    let net: [(String, RecordType, UInt32, [UInt8])] = [
        ("", .soa, 100, soa("example.net")), ("", .ns, 3600, ns("ns2.example.net")),
        ("ns2.", .a, 300, [192, 0, 2, 54]),
        ("host.", .aaaa, 300, address("2001:db8::1").bytes), ("host.", .a, 300, [192, 0, 2, 5]),
        ("longtarget.", .dname, 60, long.wire),
    ]
    let sub: [(String, RecordType, UInt32, [UInt8])] = [
        ("", .soa, 3600, soa("sub.example.com")), ("", .ns, 60, ns("ns1.example.com")), ("x.", .a, 60, [192, 0, 2, 6]),
    ]
    var big: [(String, RecordType, UInt32, [UInt8])] = [
        ("", .soa, 3600, soa("big.test")), ("", .ns, 60, ns("ns1.big.test")),
        ("deleg.", .ns, 60, ns("ns.deleg.big.test")),
    ]
    for index in 0..<UInt8(100) {
        big.append(("many.", .a, 60, [192, 0, 2, index]))
        big.append(("ns.deleg.", .a, 60, [198, 51, 100, index]))
    }
    func zone(_ apex: String, _ records: [(String, RecordType, UInt32, [UInt8])], tailored: [String] = []) throws
        -> Zone
    {
        var builder = ZoneBuilder(apex: name(apex))
        for (owner, type, ttl, data) in records {
            try builder.add(ResourceRecord(owner: name(owner + apex), type: type, ttl: ttl, data: data))
        }
        for tailored in tailored { try builder.addTailoredName(name(tailored)) }
        return try builder.build()
    }
    return try ZoneSet(
        [
            zone("example.com", com, tailored: FixedTailored().names), zone("example.net", net),
            zone("sub.example.com", sub),
            zone("big.test", big),
        ], access: access)
}

/// A resolver over `testZones` and `FixedTailored`.
struct TestServer {
    let resolver: Resolver<FixedTailored>

    init(settings: ProtocolSettings = ProtocolSettings(), access: [DomainName: AccessList] = [:]) throws {
        resolver = Resolver(zones: try testZones(access: access), tailored: FixedTailored(), settings: settings)
    }

    func reply(
        to packet: [UInt8], from client: String = "203.0.113.9",
        over transport: Resolver<FixedTailored>.Transport = .udp, at second: UInt32 = 0
    ) -> Reply {
        var bytes: [UInt8] = []
        let verdict = packet.withUnsafeBytes {
            resolver.respond(to: $0, from: address(client), over: transport, at: second, into: &bytes)
        }
        return Reply(bytes, verdict)
    }

    func ask(
        _ name: String, _ type: RecordType = .a, over transport: Resolver<FixedTailored>.Transport = .udp
    ) -> Reply {
        reply(to: Query(name: name, type: type).bytes, over: transport)
    }
}
