import ConfigurationModel
import ConfigurationYAML
import Health
import IPNetworks
import Testing

@Suite struct ReportSettingsTests {
    private func configuration(_ health: String) throws -> ServerConfiguration {
        let yaml = """
            listen: ["192.0.2.53:53"]
            zones: [{origin: example.com, file: e.zone}]
            nodes:
              - {id: fra1, addresses: [192.0.2.1], location: {latitude: 50.11, longitude: 8.68}}
            \(health)
            """
        return try ServerConfiguration.parse(yaml: yaml, file: "c", baseFolder: "/etc/nearcast")
    }

    @Test("by default there are no reports over the network and no other observers")
    func none() throws {
        let found = try configuration("")
        #expect(found.reports == nil && found.observers.isEmpty)
    }

    @Test("a report is missing after a minute, or after the time of the file or of the check")
    func missing() throws {
        func check(_ health: String) throws -> Check? { try configuration(health).nodes[0].health.checks.first }
        func expected(_ milliseconds: Int64, _ fall: Int = 1, _ rise: Int = 1) -> Check {
            Check(
                .report, target: .v4(0xc000_0201), intervalMilliseconds: milliseconds,
                timeoutMilliseconds: milliseconds, fall: fall, rise: rise)
        }
        #expect(try check("health: {interval: 1s, fall: 5, checks: [{type: report}]}") == expected(60_000))
        #expect(try check("health: {reports: {missing_after: 30s}, checks: [{type: report}]}") == expected(30_000))
        #expect(
            try check(
                "health: {reports: {missing_after: 30s}, checks: [{type: report, missing_after: 5s, fall: 2, rise: 3}]}"
            )
                == expected(5_000, 2, 3))
    }

    @Test("the listener has endpoints, tokens and a certificate, or is explicitly without TLS")
    func listener() throws {
        let secure = try configuration(
            #"health: {reports: {listen: ["192.0.2.53:8453"], tokens: t, certificate: c.pem, key: /k.pem}}"#)
        let listener = try #require(secure.reports?.listener)
        #expect(listener.listen.map { "\($0.endpoint)" } == ["192.0.2.53:8453"])
        #expect(listener.tokens.path == "/etc/nearcast/t")
        #expect(listener.certificate?.chain.path == "/etc/nearcast/c.pem" && listener.certificate?.key.path == "/k.pem")
        #expect(secure.reports?.missingAfterMilliseconds == 60_000)
        let plain = try configuration(#"health: {reports: {listen: ["[::1]:8453"], tokens: t, plain: true}}"#)
        #expect(plain.reports?.listener?.certificate == nil)
    }

    @Test("observers and redirects are read")
    func others() throws {
        let found = try configuration(
            """
            health:
              observers: [ams, nyc.2]
              checks: [{type: http, redirects: 3, redirect_hosts: any}, {type: https, redirects: 1}]
            """)
        #expect(found.observers == ["ams", "nyc.2"])
        let probes = found.nodes[0].health.checks.map(\.probe)
        #expect(
            probes == [
                .http(HTTPProbe(port: 80, redirects: HTTPRedirects(limit: 3, isAnyHost: true))),
                .http(HTTPProbe(port: 443, tls: TLSRules(), redirects: HTTPRedirects(limit: 1))),
            ])
    }
}
