import ConfigurationModel
import ConfigurationYAML
import ControlPlane
import DNSWire
import IPNetworks
import Management
import ManagementTypes
import Testing
import ZoneFile
import Zones

@Suite("What the API shows of aliases")
struct AliasReportTests {
    @Test("a report has the first addresses, and how many there are")
    func addresses() throws {
        let addresses = (0..<4_089).map { IPAddress.v4(0xcb00_0000 + $0) }
        let state = AliasState(
            name: try DomainName("example.com"), target: try DomainName("cdn.example.net"), addresses: addresses,
            confirmedAt: nil, lookupProblem: nil, servingProblem: nil, isServed: true)
        let report = AliasReport(state)
        #expect(report.addresses == addresses.prefix(32).map(\.description) && report.addressCount == 4_089)
    }

    @Test("an exported zone has a comment in place of an alias's addresses")
    func export() throws {
        let yaml = """
            listen: [127.0.0.1:5300]
            zones: [{origin: example.com, file: e.zone}]
            aliases: [{name: example.com, target: cdn.example.net}]
            """
        let aliases = try ServerConfiguration.parse(yaml: yaml, file: "c", baseFolder: "/").aliases
        let apex = try DomainName("example.com")
        let text = "$TTL 60\n@ SOA ns admin 1 2 3 4 5\n@ NS ns\n@ A 192.0.2.2\n@ AAAA 2001:db8::2\nns A 192.0.2.1\n"
        let contents = ZoneFileParser.parseZone(text: Array(text.utf8), file: "e.zone", apex: apex)
        var builder = ZoneBuilder(apex: apex)
        let bytes = contents.records.bytes.span
        for entry in contents.records.entries {
            try builder.add(
                owner: bytes.extracting(entry.owner), type: entry.type, ttl: entry.ttl,
                data: bytes.extracting(entry.data))
        }
        let zone = try builder.build()
        let exported = String(decoding: zone.masterFile(without: aliases), as: UTF8.self)
        #expect(exported.contains("; example.com. is an alias of cdn.example.net.: its addresses are left out\n"))
        #expect(
            exported.contains("ns.example.com. 60 IN A 192.0.2.1\n") && !exported.contains("\nexample.com. 60 IN A"))
        #expect(
            String(decoding: zone.masterFile(without: []), as: UTF8.self).contains("example.com. 60 IN A 192.0.2.2\n"))
    }
}
