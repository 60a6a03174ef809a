import DNSWire
import Lints
import Management
import Testing
import ZoneFile
import Zones

@Suite("Warnings of record changes")
struct RecordLintsTests {
    private static let start = """
        $ORIGIN example.com.
        $TTL 300
        @ SOA ns admin 1 2 3 4 5
        @ NS ns
        ns A 192.0.2.1
        *.wild A 192.0.2.2
        old MX 10 192.0.2.9.
        other CNAME host

        """

    private static func zone(_ more: String) throws -> Zone {
        let apex = try DomainName("example.com")
        let contents = ZoneFileParser.parseZone(text: Array((start + more).utf8), file: "e.zone", apex: apex)
        #expect(contents.errors.isEmpty, "\(contents.errors)")
        var builder = ZoneBuilder(apex: apex)
        let bytes = contents.records.bytes.span
        for entry in contents.records.entries {
            try builder.add(
                owner: bytes.extracting(entry.owner), type: entry.type, ttl: entry.ttl,
                data: bytes.extracting(entry.data))
        }
        return try builder.build()
    }

    @Test(
        "are those that the names did not have before",
        arguments: [
            (#"new TXT "v=spf1" "mx" "-all""#, [Lint.spf]), (#"new TXT "v=spf1 mx -all""#, []),
            ("new MX 10 192.0.2.7.", [.targetAddress]), ("new CNAME absent", [.danglingTarget]),
            ("new CNAME ns", []), ("new CNAME a.wild", []), ("new MX 10 other", [.targetAlias]),
            ("new MX 10 mail.example.com.example.com.", [.finalDot]), ("new CNAME www.example.net.", []),
        ])
    func new(_ record: String, _ lints: [Lint]) throws {
        let owners = try Set(["new.example.com", "old.example.com"].map { try DomainName($0) })
        let found = RecordLints.new(in: try Self.zone(record), since: try Self.zone(""), owners: owners)
        #expect(found.map(\.lint) == lints, "\(found)")
        #expect(found.allSatisfy { $0.place == nil })
    }
}
