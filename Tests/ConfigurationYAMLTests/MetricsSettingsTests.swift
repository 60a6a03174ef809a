import ConfigurationModel
import ConfigurationYAML
import Testing

@Suite struct MetricsSettingsTests {
    private static let base = """
        listen: ["192.0.2.53:53"]
        zones: [{origin: example.com, file: e.zone}]

        """

    private func configuration(_ metrics: String) throws -> ServerConfiguration {
        try ServerConfiguration.parse(yaml: Self.base + metrics, file: "c", baseFolder: "/etc/nearcast")
    }

    @Test("by default no listener serves metrics")
    func none() throws { #expect(try configuration("").metrics == nil) }

    @Test("the listener has endpoints, and TLS if it has a certificate")
    func listener() throws {
        let plain = try #require(try configuration(#"metrics: {listen: ["192.0.2.53:9953", "[::1]:9953"]}"#).metrics)
        #expect(plain.listen.map { "\($0.endpoint)" } == ["192.0.2.53:9953", "[::1]:9953"])
        #expect(plain.certificate == nil)
        let secure = try #require(
            try configuration(#"metrics: {listen: ["192.0.2.53:9953"], tls: {certificate: c.pem, key: /k.pem}}"#)
                .metrics)
        #expect(secure.certificate?.chain.path == "/etc/nearcast/c.pem" && secure.certificate?.key.path == "/k.pem")
    }

    @Test(
        "what is wrong is named with its remedy",
        arguments: [
            ("metrics: {}", #"c:3:10: metrics.listen is missing: add listen: ["192.0.2.53:9953"]"#),
            (
                #"metrics: {listen: ["192.0.2.53:53"]}"#,
                "c:3:20: metrics.listen has 192.0.2.53:53, which another listener has too, expected another port: "
                    + "change one of them"
            ),
            (
                #"metrics: {listen: ["192.0.2.53:9953"], tls: {certificate: c.pem}}"#,
                "c:3:45: metrics.tls.key is missing: add key: /etc/nearcast/key.pem"
            ),
            (
                #"metrics: {listen: ["192.0.2.53:9953"], tsl: {}}"#,
                #"c:3:40: unknown key "tsl" in metrics, expected listen or tls: did you mean tls?"#
            ),
        ])
    func problems(yaml: String, message: String) {
        let error = #expect(throws: ConfigurationError.self) { try configuration(yaml) }
        #expect(error?.problems.map { "\($0)" } == [message])
    }
}
