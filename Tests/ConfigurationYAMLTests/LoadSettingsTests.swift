import ConfigurationModel
import ConfigurationYAML
import Health
import IPNetworks
import Testing

@Suite struct LoadSettingsTests {
    private func configuration(_ more: String, node: String = "", pool: String = "") throws -> ServerConfiguration {
        let yaml = """
            listen: ["192.0.2.53:53"]
            zones: [{origin: example.com, file: e.zone}]
            nodes:
              - {id: fra1, addresses: [192.0.2.1], location: {latitude: 50.11, longitude: 8.68}\(node)}
              - {id: nyc1, addresses: [192.0.2.2], location: {latitude: 40.71, longitude: -74}}
            pools: [{id: web, nodes: [fra1]\(pool)}]
            \(more)
            """
        return try ServerConfiguration.parse(yaml: yaml, file: "c", baseFolder: "/etc/nearcast")
    }

    private func loads(_ more: String, node: String = "", pool: String = "") throws -> [LoadRules?] {
        try configuration(more, node: node, pool: pool).nodes.map(\.health.load)
    }

    @Test("load is ignored by default")
    func none() throws {
        #expect(try loads("") == [nil, nil])
        #expect(try loads("", node: ", capacity: 5") == [nil, nil])
    }

    @Test("load settings have defaults, and capacity is configured or reported")
    func standard() throws {
        #expect(try loads("health: {load: {}}", node: ", capacity: 5") == [LoadRules(capacity: 5), LoadRules()])
    }

    @Test("settings of a node override those of its pool, and these override the file's, key by key")
    func precedence() throws {
        let found = try loads(
            "health: {load: {shed_above: 100, back_below: 50, step: 100, settle: 10s}}",
            node: ", health: {load: {shed_above: 80}}", pool: ", health: {load: {step: 50}}")
        #expect(
            found == [
                LoadRules(shedAbove: 80, backBelow: 50, step: 128, settleMilliseconds: 10_000),
                LoadRules(shedAbove: 100, backBelow: 50, step: 256, settleMilliseconds: 10_000),
            ])
    }

    @Test("a node can be excluded", arguments: ["{load: off}", "off"])
    func off(health: String) throws {
        #expect(try loads("health: {load: {}}", node: ", health: \(health)") == [nil, LoadRules()])
    }

    @Test("a region has its nodes with their capacities")
    func region() throws {
        let nodes = "nodes: [fra1, nyc1]"
        #expect(
            try configuration("regions: [{id: a, \(nodes)}]").regions
                == [Region(id: "a", members: [.init(node: "fra1"), .init(node: "nyc1")], threshold: 70)])
        let yaml = """
            listen: ["192.0.2.53:53"]
            zones: [{origin: example.com, file: e.zone}]
            nodes:
              - {id: fra1, capacity: 3, addresses: [192.0.2.1], location: {latitude: 50.11, longitude: 8.68}}
              - {id: nyc1, capacity: 1000000000, addresses: [192.0.2.2], location: {latitude: 40.71, longitude: -74}}
            regions: [{id: a, nodes: [fra1, nyc1], threshold: 100}]
            """
        let regions = try ServerConfiguration.parse(yaml: yaml, file: "c", baseFolder: "/").regions
        let members = [Region.Member(node: "fra1", capacity: 3), .init(node: "nyc1", capacity: 1e9)]
        #expect(regions == [Region(id: "a", members: members, threshold: 100)])
    }
}
