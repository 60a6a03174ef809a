import DNSWire
import Lints
import Testing
import ZoneFile

@Suite("Zone lints")
struct ZoneLintTests {
    private static let start = "$TTL 60\n@ SOA ns admin 1 2 3 4 5\n@ NS ns\nns A 192.0.2.1\nmail A 192.0.2.2\n"

    private static func warnings(_ text: String, others: [DomainName] = []) throws -> [LintWarning] {
        let zone = ZoneFileText(name: "z", identity: "z", text: Array((start + text + "\n").utf8))
        let contents = ZoneFileParser.parseZone(
            zone, apex: try DomainName("example.com"), source: NoIncludedFiles(), others: others)
        #expect(contents.errors.isEmpty, "\(contents.errors)")
        return contents.warnings.compactMap(\.warning)
    }

    @Test(
        "mistakes are found at their line",
        arguments: [
            ("@ MX 10 mail.example.com", Lint.finalDot, "add a final dot to the name in the file"),
            ("www CNAME mail.example.com", .finalDot, "add a final dot to the name in the file"),
            ("_sip._tcp SRV 0 0 5060 mail.example.com", .finalDot, "add a final dot to the name in the file"),
            ("sub NS ns.example.com", .finalDot, "add a final dot to the name in the file"),
            ("www CNAME nowhere", .danglingTarget, "add it, or correct the name"),
            ("@ MX 10 nowhere", .danglingTarget, "add it, or correct the name"),
            ("www CNAME mail\n@ MX 10 www", .targetAlias, "name the host itself"),
            ("www CNAME mail\n_sip._tcp SRV 0 0 5060 www", .targetAlias, "name the host itself"),
            ("www CNAME mail\n@ NS www", .targetAlias, "name the host itself"),
            ("@ MX 10 192.0.2.2", .targetAddress, "name a host that has the address"),
            ("@ MX 10 192.0.2.2.", .targetAddress, "name a host that has the address"),
            ("sub NS 192.0.2.2.", .targetAddress, "name a host that has the address"),
            ("@ MX 10 2001:db8::1.", .targetAddress, "name a host that has the address"),
            ("@ TXT v=spf1 include:example.net -all", .spf, "write the policy in one pair of quotes"),
            ("@ TXT \"v=spf1 a\" \"mx -all\"", .spf, "write the policy in one pair of quotes"),
            ("@ TXT \"v=spf1 -all\"\n@ TXT \"V=SPF1 mx -all\"", .spf, "join them into one record"),
            ("@ TXT a\n@ 61 TXT b", .ttlsDiffer, "make them equal"),
            ("@ TXT a\n@ TXT a", .repeatedRecord, "remove one"),
            ("@ NS other", .serverAddress, "add an A or AAAA record for it"),
            ("sub NS ns\na.sub TXT x", .belowDelegation, "remove it, or put it in the delegated zone"),
            ("a 2147483648 TXT x", .ttlTooLong, "make it shorter"),
        ] as [(String, Lint, String)])
    func bad(_ text: String, _ lint: Lint, _ remedy: String) throws {
        let warnings = try Self.warnings(text)
        #expect(warnings.map(\.lint).contains(lint), "\(warnings)")
        #expect(warnings.first { $0.lint == lint }?.remedy == remedy, "\(warnings)")
        let line = 5 + text.count { $0 == "\n" } + 1
        #expect(warnings.first { $0.lint == lint }?.place == "z:\(line):1" || lint == .ttlTooLong, "\(warnings)")
    }

    @Test(
        "what is right has no warning",
        arguments: [
            "@ MX 10 mail.example.com.\nwww CNAME mail\n_sip._tcp SRV 0 0 5060 mail",
            // Elsewhere, below a delegation, and below a wildcard.
            "@ MX 10 mail.example.net.\nwww CNAME host.sub\nsub NS ns\n*.w CNAME mail\nx CNAME a.b.w",
            // No mail, no service (RFC 7505, RFC 2782).
            "@ MX 0 .\n_sip._tcp SRV 0 0 0 .",
            // A name that exists, although it ends in the zone's name twice.
            "mail.example.com A 192.0.2.3\n@ MX 10 mail.example.com",
            "1.2.3.4.in-addr.arpa.example.com. CNAME mail\nx CNAME 1.2.3.4.in-addr.arpa",
            "x CNAME tailored",
            "@ TXT \"v=spf1 include:example.net -all\"\n@ TXT \"other\"\nmail TXT \"v=spf1 -all\"",
            "@ TXT \"v=spf1 include:example.net \" \"-all\"",
            "@ TXT \"v=spf1 include:exam\" \"ple.net -all\"",
            "@ TXT \"v=spf10 all\" \"all\"",
        ])
    func good(_ text: String) throws {
        let warnings = try Self.warnings(text, others: [try DomainName("tailored.example.com")])
        #expect(warnings.isEmpty, "\(warnings)")
    }
}
