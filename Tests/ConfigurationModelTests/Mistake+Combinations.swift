import ConfigurationModel

/// Values that are right by themselves and wrong together.
extension Mistake {
    static let combinations: [Mistake] = [
        Mistake(
            "pools in a circle, and a minimum that a pool never has",
            yaml: base + nodes + """
                pools:
                  - {id: a, pools: [b]}
                  - {id: b, pools: [a]}
                  - {id: c, nodes: [fra1], minimum: 2}
                """,
            [
                .init(
                    "8:21", "/pools/1/pools/0",
                    #"pool "a" contains itself (a > b > a): remove one of these from the other"#),
                .init(
                    "9:37", "/pools/2/minimum",
                    #"minimum of pool "c" is 2, but pool "c" has 1 of its own, expected at most that many: lower it"#),
            ]
        ) {
            addNodes(&$0)
            var last = InMemory.pool(2, "c", nodes: ["fra1"])
            last.minimum = InMemory.value(2, "/pools/2/minimum")
            $0.pools = InMemory.list(
                [InMemory.pool(0, "a", pools: ["b"]), InMemory.pool(1, "b", pools: ["a"]), last], "/pools")
        },
        Mistake(
            "rules that contradict each other, and one for an autonomous system without a database of them",
            yaml: base + nodes + """
                policies:
                  - id: p
                    rules:
                      - {countries: [DE], pin: [fra1]}
                      - {countries: [DE], deny: all}
                      - {asns: [64500], deny: [nyc1]}
                """,
            [
                .init(
                    "10:22", "/policies/0/rules/1/countries/0",
                    #"policy "p" has deny for country DE, and pin for the same nodes at @: keep one of them"#,
                    other: ("line 9", "/policies/0/rules/0/countries/0")),
                .init(
                    "11:17", "/policies/0/rules/2/asns/0",
                    #"a rule of policy "p" is for AS 64500, but there is no database of autonomous systems: "#
                        + "add geo: {asn_database: /path/to/asn.mmdb}"),
            ]
        ) {
            addNodes(&$0)
            let policy = InMemory.policy(0, "p") { policy, pointer in
                var (pin, deny, system) = (RuleDeclaration(), RuleDeclaration(), RuleDeclaration())
                pin.countries = InMemory.list(["DE"], "\(pointer)/rules/0/countries")
                pin.pin = InMemory.value(
                    .nodes([InMemory.value("fra1", "\(pointer)/rules/0/pin/0")]), "\(pointer)/rules/0/pin")
                deny.countries = InMemory.list(["DE"], "\(pointer)/rules/1/countries")
                deny.deny = InMemory.value(.all, "\(pointer)/rules/1/deny")
                system.asns = InMemory.list([64500], "\(pointer)/rules/2/asns")
                system.deny = InMemory.value(
                    .nodes([InMemory.value("nyc1", "\(pointer)/rules/2/deny/0")]), "\(pointer)/rules/2/deny")
                policy.rules = InMemory.list([pin, deny, system], "\(pointer)/rules")
            }
            $0.policies = InMemory.list([policy], "/policies")
        },
        Mistake(
            "a smallest TTL above the default largest, and a policy that falls back on the pool of its name",
            yaml: base + nodes + """
                pools: [{id: web, nodes: [fra1]}]
                policies: [{id: p, ttl: {min: 90}}, {id: q, when_all_down: {fallback: web}}]
                tailored: [{name: www.example.com, pool: web, policy: q}]
                """,
            [
                .init(
                    "7:31", "/policies/0/ttl/min",
                    #"ttl.min of policy "p" is 90 and max is 60 (the default), expected min not above max: change one of "#
                        + "them"),
                .init(
                    "7:37", "/policies/1",
                    #"policy "q" falls back on pool "web", which is the pool of www.example.com. itself: name another, or "#
                        + "use open"),
            ]
        ) {
            addNodes(&$0)
            $0.pools = InMemory.list([InMemory.pool(0, "web", nodes: ["fra1"])], "/pools")
            let first = InMemory.policy(0, "p") { policy, pointer in
                var ttl = TTLDeclaration()
                ttl.min = InMemory.value(90, "\(pointer)/ttl/min")
                policy.ttl = InMemory.value(ttl, "\(pointer)/ttl")
            }
            let second = InMemory.policy(1, "q") { policy, pointer in
                policy.whenAllDown = InMemory.value(
                    .other(
                        fallback: InMemory.value("web", "\(pointer)/when_all_down/fallback"), addresses: .absent),
                    "\(pointer)/when_all_down")
            }
            $0.policies = InMemory.list([first, second], "/policies")
            $0.tailored = InMemory.list([InMemory.tailored(0, "www.example.com", "web", "q")], "/tailored")
        },
        Mistake(
            "a host name that is tailored, and HTTPS next to addresses of another policy",
            yaml: base + """
                nodes: [{id: a, hostname: www.example.com, addresses: [192.0.2.1], location: {latitude: 1, longitude: 1}}]
                pools: [{id: web, nodes: [a]}]
                policies: [{id: p}, {id: q}]
                tailored:
                  - {name: www.example.com, pool: web, policy: p}
                  - {name: www.example.com, type: HTTPS, pool: web, policy: q}
                """,
            [
                .init(
                    "3:27", "/nodes/0/hostname",
                    #"hostname of node "a" is "www.example.com.", which is tailored at @, expected a name with addresses "#
                        + "of its own: use another", other: ("line 7", "/tailored/0")),
                .init(
                    "8:5", "/tailored/1",
                    #"tailored name "www.example.com." of type HTTPS differs in pool, policy or views from its addresses "#
                        + "at @, expected the same, so that the hints are its addresses: change one of them",
                    other: ("line 7", "/tailored/0")),
            ]
        ) {
            var node = InMemory.node(0, "a", "192.0.2.1")
            node.hostname = InMemory.value("www.example.com", "/nodes/0/hostname")
            $0.nodes = InMemory.list([node], "/nodes")
            $0.pools = InMemory.list([InMemory.pool(0, "web", nodes: ["a"])], "/pools")
            $0.policies = InMemory.list([InMemory.policy(0, "p"), InMemory.policy(1, "q")], "/policies")
            let binding = InMemory.tailored(1, "www.example.com", "web", "q") { name, pointer in
                name.type = InMemory.value("HTTPS", "\(pointer)/type")
            }
            $0.tailored = InMemory.list(
                [InMemory.tailored(0, "www.example.com", "web", "p"), binding], "/tailored")
        },
        Mistake(
            "a timeout that is not shorter than the interval of a node, and reports where DNS is served",
            yaml: base + """
                nodes:
                  - {id: a, addresses: [192.0.2.1], location: {latitude: 1, longitude: 1}, health: {interval: 1s}}
                health:
                  timeout: 1s
                  checks: [{type: icmp}]
                  reports: {listen: ["192.0.2.53:53"], tokens: t, plain: true}
                """,
            [
                .init(
                    "7:12", "/health/checks/0",
                    #"a check of node "a" has a timeout of 1000 ms and an interval of 1000 ms, expected the timeout to be "#
                        + "shorter: change one of them"),
                .init(
                    "8:22", "/health/reports/listen/0",
                    "health.reports.listen has 192.0.2.53:53, which listen or tls.listen has too, expected another port: "
                        + "change one of them"),
            ]
        ) {
            var own = HealthDeclaration()
            own.interval = InMemory.value("1s", "/nodes/0/health/interval")
            var node = InMemory.node(0, "a", "192.0.2.1")
            node.health = InMemory.value(.on(own), "/nodes/0/health")
            $0.nodes = InMemory.list([node], "/nodes")
            var check = CheckDeclaration()
            check.type = InMemory.value("icmp", "/health/checks/0/type")
            var reports = ReportsDeclaration()
            reports.listen = InMemory.list(["192.0.2.53:53"], "/health/reports/listen")
            reports.tokens = InMemory.value("t", "/health/reports/tokens")
            reports.plain = InMemory.value(true, "/health/reports/plain")
            var health = ServerHealthDeclaration()
            health.common.timeout = InMemory.value("1s", "/health/timeout")
            health.common.checks = InMemory.list([check], "/health/checks")
            health.reports = InMemory.value(reports, "/health/reports")
            $0.health = InMemory.value(health, "/health")
        },
        Mistake(
            "a region of nodes with and without a capacity, and one that shares a node with it",
            yaml: base + """
                nodes:
                  - {id: a, addresses: [192.0.2.1], location: {latitude: 1, longitude: 1}, capacity: 5}
                  - {id: b, addresses: [192.0.2.2], location: {latitude: 1, longitude: 1}}
                regions: [{id: x, nodes: [a, b]}, {id: y, nodes: [b, a]}]
                """,
            [
                .init(
                    "6:26", "/regions/0/nodes",
                    #"region "x" has nodes with a capacity and nodes without (b), expected a capacity for all or for none: add "#
                        + "capacity to these nodes"),
                .init(
                    "6:51", "/regions/1/nodes/0",
                    #"region "y" has node "b", which region "x" has too, expected each node in one region: remove it "#
                        + "from one"),
            ]
        ) {
            func node(_ index: Int, _ id: String, _ address: String) -> NodeDeclaration {
                var node = InMemory.node(index, id, address)
                var place = NodeLocationDeclaration()
                place.latitude = InMemory.value("1", "/nodes/\(index)/location/latitude")
                place.longitude = InMemory.value("1", "/nodes/\(index)/location/longitude")
                node.location = InMemory.value(place, "/nodes/\(index)/location")
                return node
            }
            func region(_ index: Int, _ id: String, _ nodes: [String]) -> RegionDeclaration {
                var region = RegionDeclaration()
                region.id = InMemory.value(id, "/regions/\(index)/id")
                region.nodes = InMemory.list(nodes, "/regions/\(index)/nodes")
                return region
            }
            var first = node(0, "a", "192.0.2.1")
            first.capacity = InMemory.value(5, "/nodes/0/capacity")
            $0.nodes = InMemory.list([first, node(1, "b", "192.0.2.2")], "/nodes")
            $0.regions = InMemory.list([region(0, "x", ["a", "b"]), region(1, "y", ["b", "a"])], "/regions")
        },
    ]
}
