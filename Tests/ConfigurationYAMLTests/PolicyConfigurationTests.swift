import ConfigurationModel
import ConfigurationYAML
import IPNetworks
import Testing

@Suite("Pools, policies and views of a configuration")
struct PolicyConfigurationTests {
    private func parse(_ yaml: String) throws -> ServerConfiguration {
        try ServerConfiguration.parse(
            yaml: ProblemCase.base + ProblemCase.twoNodes + yaml, file: "nearcast.yaml", baseFolder: "/etc/nearcast")
    }

    @Test("a pool of pools has one tier per inner pool, and each node once")
    func nesting() throws {
        let pools = try parse(
            """
            pools:
              - {id: world, pools: [both, east], minimum: 1}
              - {id: both, pools: [west, east], minimum: 1}
              - {id: west, nodes: [{id: nyc1, weight: 3, capacity: 40, bias: -20}]}
              - {id: east, nodes: [fra1, nyc1]}
            """
        ).pools
        #expect(pools.map(\.id) == ["world", "both", "west", "east"])
        #expect(pools[0].tiers.map { $0.members.map(\.node) } == [["nyc1"], ["fra1"]])
        #expect(pools[2].members.map(\.weight) == [3])
        #expect(pools[2].members.map(\.capacity) == [40])
        #expect(pools[2].members.map(\.bias) == [-20])
        #expect(pools[3].members.map(\.bias) == [0, 0])
    }

    @Test("a pool's minimum applies to inner pools that have none")
    func minimum() throws {
        let pools = try parse(
            """
            pools:
              - {id: world, pools: [a, b], minimum: 2}
              - {id: a, nodes: [fra1, nyc1]}
              - {id: b, nodes: [fra1, nyc1], minimum: 1}
            """
        ).pools
        // The second has no nodes of its own.
        #expect(pools[0].tiers.map(\.minimum) == [2])
        #expect(pools[1].tiers.map(\.minimum) == [1])
    }

    @Test("every strategy is read, and the original ones answer three nodes by default")
    func strategies() throws {
        let words = PolicySettings.Strategy.allCases.map(\.rawValue)
        let entries = words.map { "{id: \($0), strategy: \($0)\($0 == "latency" ? ", latency: rtt.csv" : "")}" }
        let policies = try parse("policies: [\(entries.joined(separator: ", "))]").policies
        #expect(policies.map(\.strategy) == PolicySettings.Strategy.allCases)
        #expect(policies.map(\.answers) == [1, 3, 3, 3, 3, 1, 1, 1, 1])
        #expect(policies[5].latency.map(\.path) == ["/etc/nearcast/rtt.csv"])
        #expect(policies.allSatisfy { $0.scoring.prefersSameRegion && $0.scoring.biasThousandths == 800 })
    }

    @Test("the settings of a policy are read")
    func settings() throws {
        let policies = try parse(
            """
            pools: [{id: spare, nodes: [fra1]}]
            policies:
              - {id: a, strategy: linear, same_region: false, bias_factor: 0.25, answers: 2, maximum_distance: 5000}
              - {id: b, weigh_by: capacity, when_all_down: {fallback: spare}}
              - {id: c, when_all_down: {addresses: [192.0.2.9, "2001:db8::9"]}}
              - {id: d, strategy: linear, bias_factor: 1}
            """
        ).policies
        #expect(policies[0].scoring.prefersSameRegion == false)
        #expect(policies.map(\.scoring.biasThousandths) == [250, 800, 800, 1000])
        #expect(policies.map(\.maximumKilometres) == [5000, nil, nil, nil])
        #expect(policies.map(\.weighBy) == [.weight, .capacity, .weight, .weight])
        let addresses = ["192.0.2.9", "2001:db8::9"].compactMap { IPAddress($0) }
        #expect(policies.map(\.whenAllDown) == [.open, .fallback(pool: "spare"), .addresses(addresses), .open])
    }

    @Test("each item of a rule's list becomes a rule, and rules name what the location table needs")
    func rules() throws {
        let configuration = try parse(
            """
            policies:
              - id: p
                rules:
                  - {countries: [de], continents: [AS], pin: [fra1]}
                  - {regions: [US-New York], asns: [64500], allow: all}
                  - {prefixes: [192.0.2.0/24, "2001:db8::/32"], labels: [office], everyone: true, deny: [nyc1]}
            geo: {asn_database: asn.mmdb}
            """)
        let rules = try #require(configuration.policies.first?.rules)
        let prefixes = ["192.0.2.0/24", "2001:db8::/32"].compactMap { IPPrefix($0) }
        #expect(
            rules.map(\.match) == [
                .country("DE"), .continent("AS"), .region(country: "US", "New York"), .asn(64500), .prefix(prefixes[0]),
                .prefix(prefixes[1]), .label("office"), .everyone,
            ])
        #expect(rules.map(\.action) == [.pin, .pin, .allow, .allow, .deny, .deny, .deny, .deny])
        #expect(rules.map(\.nodes) == [["fra1"], ["fra1"], nil, nil, ["nyc1"], ["nyc1"], ["nyc1"], ["nyc1"]])
        #expect(configuration.steeringLabelNeeds.asns == [64500])
        #expect(configuration.steeringLabelNeeds.prefixes == prefixes)
    }

    @Test("views are read, and inherit the pool or policy of the name")
    func views() throws {
        let configuration = try parse(
            """
            pools: [{id: web, nodes: [fra1]}, {id: ops, nodes: [nyc1]}]
            policies: [{id: p}, {id: q}]
            views:
              - {id: overlay, clients: [10.0.0.0/8, "fd00::/8"], addresses: overlay}
              - {id: office, clients: [192.0.2.7]}
            tailored:
              - {name: www.example.com, pool: web, policy: p, views: {overlay: {pool: ops}, office: {policy: q}}}
            """)
        #expect(configuration.views.map(\.id) == ["overlay", "office"])
        #expect(configuration.views.map(\.addresses) == [.overlay, .public])
        #expect(configuration.views[1].clients == [IPPrefix("192.0.2.7/32")])
        let views = try #require(configuration.tailored.first?.views)
        #expect(views.map(\.view) == ["overlay", "office"])
        #expect(views.map(\.pool) == ["ops", "web"])
        #expect(views.map(\.policy) == ["p", "q"])
    }

    @Test("pools nest sixteen deep, and no deeper")
    func depth() throws {
        func yaml(_ depth: Int) -> String {
            let inner = (1..<depth).map { "{id: p\($0), pools: [p\($0 - 1)]}" }
            return "pools: [{id: p0, nodes: [fra1]}, \(inner.reversed().joined(separator: ", "))]"
        }
        #expect(try parse(yaml(16)).pools.count == 16)
        #expect(throws: ConfigurationError.self) { try parse(yaml(17)) }
        #expect(throws: ConfigurationError.self) { try parse(yaml(20_000)) }
    }

    @Test("the depth of pools does not depend on their order in the file", arguments: [false, true])
    func depthInAnyOrder(isReversed: Bool) throws {
        func yaml(_ depth: Int) -> String {
            let pools =
                ["{id: p0, nodes: [fra1]}", "{id: spare, nodes: [nyc1]}"]
                + (1..<depth).map { "{id: p\($0), pools: [spare, p\($0 - 1)]}" }
            return "pools: [\((isReversed ? pools.reversed() : pools).joined(separator: ", "))]"
        }
        #expect(try parse(yaml(16)).pools.count == 17)
        for depth in [17, 40] {
            let error = try #require(throws: ConfigurationError.self) { try parse(yaml(depth)) }
            let chain = (1...16).reversed().map { "p\($0)" }.joined(separator: " > ") + " > spare"
            #expect(
                error.problems.map(\.message) == ["pools are nested more than 16 deep (\(chain))"])
            #expect(error.problems.map(\.remedy) == ["name the inner pools directly"])
        }
    }
}
