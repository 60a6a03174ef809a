import DNSWire
import Testing
import ZoneFile

@Suite("Zone checks")
struct ZoneFileCheckTests {
    private static let start = "$TTL 60\n@ SOA ns admin 1 2 3 4 5\n@ NS ns\nns A 192.0.2.1\n"

    private static func check(_ text: String) throws -> ZoneFileContents {
        ZoneFileParser.parseZone(text: Array(text.utf8), file: "test.zone", apex: try DomainName("example.com"))
    }

    @Test("a valid zone has no findings")
    func sound() throws {
        let contents = try Self.check(
            Self.start + "sub NS ns.sub\nns.sub A 192.0.2.2\nalias CNAME ns\nd DNAME example.org.\n")
        #expect(contents.errors.isEmpty && contents.warnings.isEmpty, "\(contents.errors) \(contents.warnings)")
    }

    @Test(
        "data that cannot be served is an error at its line",
        arguments: [
            ("@ SOA ns admin 2 2 3 4 5", "second SOA; the first is in line 2"), ("x SOA ns admin 1 2 3 4 5", "apex"),
            ("x.example.org. A 192.0.2.1", "not in the zone"),
            ("example.org. SOA ns admin 1 2 3 4 5", "not in the zone"), ("ns CNAME x", "has a CNAME in line 5"),
            ("x CNAME y\nx CNAME z", "second CNAME"), ("x DNAME y\nx DNAME z", "second DNAME"),
            ("x DNAME y\nx NS ns", "delegated"),
            ("x DNAME y\na.b.x A 192.0.2.1", "below the DNAME in line 5"),
        ])
    func errors(text: String, message: String) throws {
        let contents = try Self.check(Self.start + text + "\n")
        #expect(contents.errors.count == 1)
        #expect(contents.errors.first?.message.contains(message) == true, "\(contents.errors)")
    }

    @Test("a repeated SOA is refused, even if it is the same")
    func sameSOA() throws {
        let contents = try Self.check(Self.start + "@ SOA ns admin 1 2 3 4 5\n")
        #expect(contents.errors.map(\.line) == [5])
    }

    @Test("data below a delegation is kept: glue without a warning, the rest with one")
    func delegations() throws {
        let contents = try Self.check(
            Self.start + "sub NS ns.sub\nsub DS 1 8 2 00\nns.sub A 192.0.2.2\nother NS ns.sub\n"
                + "a.sub A 192.0.2.3\nns.sub TXT x\nsub MX 1 ns\nb.sub NS ns.b.sub\n")
        #expect(contents.errors.isEmpty)
        #expect(contents.warnings.map(\.line) == [9, 10, 11, 12], "\(contents.warnings)")
        #expect(
            contents.warnings.map { $0.message.hasPrefix("sub.example.com. MX is at the delegation in line 5") } == [
                false, false, true, false,
            ])
        #expect(contents.records.count == 11)
    }

    @Test("NSEC and NSEC3 records may be below a DNAME at the apex")
    func denialBelowDNAME() throws {
        let hash = "2t7b4g4vsa5smi47k61mv5bv1a22bojr"
        let text = Self.start.replacing("ns A 192.0.2.1\n", with: "").replacing("NS ns", with: "NS ns.example.net.")
        let contents = try Self.check(text + "@ DNAME example.org.\n\(hash) NSEC3 1 0 0 - \(hash) NS\n")
        #expect(contents.errors.isEmpty, "\(contents.errors)")
        #expect(try Self.check(text + "@ DNAME example.org.\nx A 192.0.2.1\n").errors.map(\.line) == [5])
    }

    @Test("signatures of different types may have different TTLs")
    func signatureTTLs() throws {
        let text = "ns 60 RRSIG A 13 3 60 1 0 1 @ AA==\nns 30 RRSIG NSEC 13 3 30 1 0 1 @ AA==\n"
        #expect(try Self.check(Self.start + text).warnings.isEmpty)
        let other = "ns 31 RRSIG NSEC 13 3 30 1 0 2 @ AA==\n"
        let warnings = try Self.check(Self.start + text + other).warnings
        #expect(warnings.map(\.line) == [7])
        #expect(warnings.first?.message.contains("TTL differs from that in line 6") == true, "\(warnings)")
    }

    @Test(
        "a TTL above 2^31 - 1 is reduced to that, with a warning at its position",
        arguments: [
            ("x 2147483648 A 192.0.2.1", 3), ("x IN 4294967295 A 192.0.2.1", 6), ("x 4000w A 192.0.2.1", 3),
            ("$TTL 2147483648\nx A 192.0.2.1", 6), ("$GENERATE 1-2 x 2147483648 A 192.0.2.$", 1),
        ])
    func longTTL(text: String, column: Int) throws {
        let contents = try Self.check(Self.start + text + "\n")
        #expect(contents.errors.isEmpty, "\(contents.errors)")
        #expect(contents.records.last?.record.ttl == 2_147_483_647)
        #expect(contents.warnings.map(\.line) == [5] && contents.warnings.map(\.column) == [column])
        #expect(contents.warnings.first?.message.contains("longer than 2147483647 seconds") == true)
    }

    @Test("a TTL of 2^31 - 1 is accepted, and one above 32 bits is refused")
    func limitOfTTL() throws {
        let contents = try Self.check(Self.start + "x 2147483647 A 192.0.2.1\n")
        #expect(contents.warnings.isEmpty && contents.records.last?.record.ttl == 2_147_483_647)
        #expect(try Self.check(Self.start + "x 4294967296 A 192.0.2.1\n").errors.map(\.column) == [3])
    }

    @Test("the times of an SOA have 32 bits")
    func timesOfSOA() throws {
        let text = "$TTL 60\n@ SOA ns admin 1 2 3 4 4294967295\n@ NS ns\nns A 192.0.2.1\n"
        let contents = try Self.check(text)
        #expect(contents.errors.isEmpty && contents.warnings.isEmpty, "\(contents.errors)")
        #expect(contents.records.first?.record.data.suffix(4) == [255, 255, 255, 255])
    }

    @Test("a zone without SOA or NS is refused")
    func missing() throws {
        #expect(try Self.check("$TTL 60\nx A 192.0.2.1\n").errors.count == 2)
        #expect(try Self.check("").errors.map(\.line) == [1, 1])
    }

    @Test(
        "a probable mistake is a warning",
        arguments: [
            ("ns 61 A 192.0.2.9", "TTL differs from that in line 4"), ("ns A 192.0.2.1", "repeats that in line 4"),
            ("sub NS ns.sub", "has no address"), ("@ NS other", "has no address"),
            ("@ NS al\nal CNAME ns", "is the alias in line 6"),
        ])
    func warnings(text: String, message: String) throws {
        let contents = try Self.check(Self.start + text + "\n")
        #expect(contents.errors.isEmpty && contents.warnings.count == 1)
        #expect(contents.warnings.first?.message.contains(message) == true && contents.warnings.first?.line == 5)
    }
}
