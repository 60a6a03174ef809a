import DNSWire
import IPNetworks
import Resolution
import Zones

/// Nothing is tailored.
struct NoTailored: TailoredResolving {
    func tailoredIndex(of lowercasedWire: UnsafeRawBufferPointer) -> Int? { nil }
    func decide(
        index: Int, type: RecordType, client: IPAddress, subnet: ClientSubnet?, nameHash: UInt64?
    ) -> TailoredDecision { .noData }
}

/// The zone "example" of RFC 4035 and RFC 5155, appendix A of each, with its real denial. No test verifies the signatures:
/// they consist of the name and type they sign.
enum SignedZone {
    typealias Record = (owner: String, type: RecordType, data: [UInt8])

    private static func mx(_ host: String) -> [UInt8] { [0, 1] + name(host).wire }
    private static let ds: [UInt8] = [0, 1, 13, 2] + Array(repeating: 7, count: 32)

    /// What both documents have.
    private static let records: [Record] = [
        (
            "example", .soa,
            name("ns1.example").wire + name("bugs.x.w.example").wire
                + hex("00000001 00000e10 0000012c 0036ee80 00000e10")
        ),
        ("example", .ns, name("ns1.example").wire), ("example", .ns, name("ns2.example").wire),
        ("example", .mx, mx("xx.example")), ("example", .dnskey, [1, 0, 3, 13] + Array(repeating: 9, count: 64)),
        ("a.example", .ns, name("ns1.a.example").wire), ("a.example", .ns, name("ns2.a.example").wire),
        ("a.example", .ds, ds), ("ns1.a.example", .a, [192, 0, 2, 5]), ("ns2.a.example", .a, [192, 0, 2, 6]),
        ("ai.example", .a, [192, 0, 2, 9]), ("ai.example", .aaaa, address("2001:db8::f00:baa9").bytes),
        ("ns1.example", .a, [192, 0, 2, 1]), ("ns2.example", .a, [192, 0, 2, 2]),
        ("*.w.example", .mx, mx("ai.example")),
        ("x.w.example", .mx, mx("xx.example")), ("x.y.w.example", .mx, mx("xx.example")),
        ("xx.example", .a, [192, 0, 2, 10]), ("xx.example", .aaaa, address("2001:db8::f00:baaa").bytes),
    ]

    /// RFC 4035, appendix A; b.example is a delegation without DS.
    static func nsec(adding more: [Record] = []) throws -> Zone {
        let owners = ["example", "a", "ai", "b", "ns1", "ns2", "*.w", "x.w", "x.y.w", "xx"]
        let names = owners.enumerated().map { $0.offset == 0 ? $0.element : $0.element + ".example" }
        var records = records
        records.append(("b.example", .ns, name("ns1.b.example").wire))
        records.append(("ns1.b.example", .a, [192, 0, 2, 7]))
        for (index, owner) in names.enumerated() {
            let next = names[(index + 1) % names.count]
            records.append((owner, .nsec, name(next).wire + hex("00 07 62 01 80 08 00 03 80")))
        }
        return try build(records + more, unsigned: ["ns1.b.example", "b.example NS"])
    }

    /// RFC 5155, appendix A; c.example is a delegation that opt-out leaves out.
    static func nsec3(iterations: UInt16 = 12) throws -> Zone {
        var records = records
        records.append(("c.example", .ns, name("ns1.c.example").wire))
        records.append(("ns1.c.example", .a, [192, 0, 2, 7]))
        let parameters = iterations.networkBytes + hex("04 aabbccdd")
        records.append(("example", .nsec3param, [1, 0] + parameters))
        for (index, hash) in hashes.enumerated() {
            let next = base32(hashes[(index + 1) % hashes.count])
            records.append(("\(hash).example", .nsec3, [1, 1] + parameters + [20] + next + hex("00 02 40 01")))
        }
        return try build(records, unsigned: ["ns1.c.example", "c.example NS"])
    }

    /// Of example, ns1, x.y.w, a, x.w, ai, y.w, w, ns2, *.w and xx.
    static let hashes = [
        "0p9mhaveqvm6t7vbl5lop2u3t2rp3tom", "2t7b4g4vsa5smi47k61mv5bv1a22bojr", "2vptu5timamqttgl4luu9kg21e0aor3s",
        "35mthgpgcu1qg68fab165klnsnk3dpvl", "b4um86eghhds6nea196smvmlo4ors995", "gjeqe526plbf1g8mklp59enfd789njgi",
        "ji6neoaepv8b5o6k4ev33abha8ht9fgc", "k8udemvp1j2f7eg6jebps17vp3n8i58h", "q04jkcevqvmu85r014c7dkba38o0ji5r",
        "r53bq7cc2uvmubfu5ocmm6pers9tk9en", "t644ebqk9bibcna874givr6joj62mlhv",
    ]

    private static func base32(_ text: String) -> [UInt8] {
        let digits = Array("0123456789abcdefghijklmnopqrstuv")
        var (bytes, bits, count): ([UInt8], UInt32, UInt32) = ([], 0, 0)
        for character in text {
            bits = bits << 5 | UInt32(digits.firstIndex(of: character)!)
            count += 5
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> count))
            }
        }
        return bytes
    }

    private static func build(_ records: [Record], unsigned: Set<String>) throws -> Zone {
        var builder = ZoneBuilder(apex: name("example"))
        var signed: Set<String> = ["a.example NS", "ns1.a.example A", "ns2.a.example A"]
        signed.formUnion(unsigned)
        for (owner, type, data) in records {
            try builder.add(ResourceRecord(owner: name(owner), type: type, ttl: 3600, data: data))
            guard !unsigned.contains(owner), signed.insert("\(owner) \(type)").inserted else { continue }
            // type covered, algorithm 13, labels, TTL 3600, expiration, inception, key tag, signer
            let fixed = type.rawValue.networkBytes + hex("0d 02 00000e10 7b000000 60000000 0001")
            let signature = fixed + name("example").wire + Array("\(owner) \(type)".utf8)
            try builder.add(ResourceRecord(owner: name(owner), type: .rrsig, ttl: 3600, data: signature))
        }
        return try builder.build()
    }
}
