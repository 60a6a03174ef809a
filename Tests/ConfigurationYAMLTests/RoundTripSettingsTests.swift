import ConfigurationModel
import ConfigurationYAML
import Testing

@Suite struct RoundTripSettingsTests {
    private func settings(_ text: String) throws -> RoundTripSettings? {
        let yaml = ProblemCase.base + ProblemCase.twoNodes + text
        return try ServerConfiguration.parse(yaml: yaml, file: "c", baseFolder: "/etc/nearcast").roundTrips
    }

    @Test("round-trip times are not learned by default")
    func off() throws { #expect(try settings("") == nil) }

    @Test("node and ports are enough, and the file is in the state folder")
    func standard() throws {
        let found = try #require(try settings("rtt: {node: nyc1, ports: [443, 8443]}\nstate: /srv/n"))
        #expect(found.node == "nyc1" && found.ports == [443, 8443] && found.file.path == "/srv/n/rtt.csv")
        #expect(found.minimumSamples == 20 && found.marginPercent == 20 && found.everyMilliseconds == 600_000)
    }

    @Test("every key is read")
    func all() throws {
        let found = try #require(
            try settings("rtt: {node: fra1, ports: [1], file: l.csv, minimum_samples: 3, margin: 0, every: 2s}"))
        #expect(found.file.path == "/etc/nearcast/l.csv" && found.minimumSamples == 3)
        #expect(found.marginPercent == 0 && found.everyMilliseconds == 2_000)
    }

    @Test("several latency files are read in their order")
    func files() throws {
        let yaml =
            ProblemCase.base + "policies: [{id: p, strategy: latency, latency: [b.csv, /var/a.csv]}]"
        let policies = try ServerConfiguration.parse(yaml: yaml, file: "c", baseFolder: "/etc/nearcast").policies
        #expect(policies.first?.latency.map(\.path) == ["/etc/nearcast/b.csv", "/var/a.csv"])
    }
}
