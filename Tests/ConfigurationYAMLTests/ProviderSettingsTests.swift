import ConfigurationModel
import ConfigurationYAML
import Health
import IPNetworks
import Testing

@Suite struct ProviderSettingsTests {
    private func configuration(_ yaml: String) throws -> ServerConfiguration {
        try ServerConfiguration.parse(yaml: ProblemCase.base + yaml, file: "c", baseFolder: "/etc/nearcast")
    }

    @Test func `a provider needs neither addresses nor a place, and is checked by its name`() throws {
        let node = try #require(
            try configuration(
                """
                nodes: [{id: cdn, provider: cdn.example.net}]
                health:
                  checks:
                    - {type: https, path: /health}
                    - {type: https, host: www.example.com}
                    - {type: tcp, port: 443, address: 192.0.2.1}
                    - {type: dns, name: example.com}
                """
            ).nodes.first)
        #expect(node.addresses.isEmpty && node.location == nil && node.target?.name == node.provider?.name)
        let checks = node.health.checks
        #expect(
            checks.map(\.target.description) == [
                "cdn.example.net", "cdn.example.net", "192.0.2.1", "cdn.example.net",
            ])
        // No family is judged by itself: an alias leads to the host whatever the family.
        #expect(node.health.families.isEmpty && checks.allSatisfy { $0.family == nil })
        let hosts = checks.map { check -> String? in
            switch check.probe {
            case .http(let http): http.host
            case .tcp(let tcp): tcp.host
            default: nil
            }
        }
        #expect(hosts == ["cdn.example.net", "www.example.com", nil, nil])
        #expect(checks[0].description == "https cdn.example.net:443/health")
    }

    @Test func `names are looked up at the system's servers unless others are given`() throws {
        #expect(try configuration("").lookup.servers == [])
        let lookup = try configuration(#"lookup: {servers: [192.0.2.1, "[2001:db8::1]:5353"]}"#).lookup
        #expect(lookup.servers.map(\.description) == ["192.0.2.1:53", "[2001:db8::1]:5353"])
    }
}
