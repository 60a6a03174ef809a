import ConfigurationModel

/// Mistakes in one value: its range, its form, its absence.
extension Mistake {
    static let values: [Mistake] = [
        Mistake(
            "a number and a word outside what is allowed",
            yaml: base + "policies: [{id: p, answers: 9, strategy: neerest}]",
            [
                .init(
                    "3:29", "/policies/0/answers",
                    #"answers of policy "p" is "9", expected a whole number from 1 to 8: change it"#),
                .init(
                    "3:42", "/policies/0/strategy",
                    #"strategy of policy "p" is "neerest", expected nearest, linear, quadratic, logarithmic, stepped, "#
                        + "latency, static, weighted or failover: did you mean nearest?"),
            ]
        ) {
            let policy = InMemory.policy(0, "p") { policy, pointer in
                policy.answers = InMemory.value(9, "\(pointer)/answers")
                policy.strategy = InMemory.value("neerest", "\(pointer)/strategy")
            }
            $0.policies = InMemory.list([policy], "/policies")
        },
        Mistake(
            "a node without addresses, and coordinates beyond the pole",
            yaml: base + "nodes: [{id: a, location: {latitude: 90.1, longitude: 1}}]",
            [
                .init(
                    "3:9", "/nodes/0",
                    #"addresses of node "a" is missing: add addresses: [198.51.100.10, "2001:db8:10::1"], or "#
                        + "provider: cdn.example.net for an outside host"),
                .init(
                    "3:38", "/nodes/0/location/latitude",
                    #"location.latitude of node "a" is "90.1", expected decimal degrees from -90 to 90: correct it"#),
            ]
        ) {
            var place = NodeLocationDeclaration()
            place.latitude = InMemory.value("90.1", "/nodes/0/location/latitude")
            place.longitude = InMemory.value("1", "/nodes/0/location/longitude")
            var node = NodeDeclaration()
            node.id = InMemory.value("a", "/nodes/0/id")
            node.location = InMemory.value(place, "/nodes/0/location")
            $0.nodes = InMemory.list([node], "/nodes")
        },
        Mistake(
            "an empty list, an empty text and a duration without a unit",
            yaml: base + "pools: []\nstate: \"\"\ntcp: {idle: \"10\"}",
            [
                .init(
                    "3:8", "/pools",
                    "pools is an empty list, expected at least one pool: write pools: [{id: web, nodes: [fra1]}]"),
                .init("4:8", "/state", "state is empty, expected a path: give it a value"),
                .init(
                    "5:13", "/tcp/idle",
                    #"tcp.idle is "10", expected a duration from 100ms to 10m: write 10s for seconds"#),
            ]
        ) {
            $0.pools = InMemory.list([], "/pools")
            $0.state = InMemory.value("", "/state")
            var tcp = TCPDeclaration()
            tcp.idle = InMemory.value("10", "/tcp/idle")
            $0.tcp = InMemory.value(tcp, "/tcp")
        },
        Mistake(
            "networks with host bits, and an identifier that is too long",
            yaml: """
                listen: ["192.0.2.53:53"]
                zones: [{origin: example.com, file: e.zone, allow: [192.0.2.1/24]}]
                identity: {nsid: 0xabc}
                """,
            [
                .init(
                    "3:18", "/identity/nsid",
                    #"identity.nsid is "0xabc", expected 1 to 128 bytes, as text or as 0x and hexadecimal digits: "#
                        + "change it"),
                .init(
                    "2:53", "/zones/0/allow/0",
                    #"allow of zone "example.com" has "192.0.2.1/24", expected a network whose bits after the first 24 "#
                        + "are zero: write 192.0.2.0/24"),
            ]
        ) {
            var zone = InMemory.zone(0, "example.com", file: "e.zone")
            zone.allow = InMemory.list(["192.0.2.1/24"], "/zones/0/allow")
            $0.zones = InMemory.list([zone], "/zones")
            var identity = IdentityDeclaration()
            identity.nsid = InMemory.value("0xabc", "/identity/nsid")
            $0.identity = InMemory.value(identity, "/identity")
        },
        Mistake(
            "a key of another strategy, of another type of name and of another type of check",
            yaml: base + nodes + """
                pools: [{id: web, nodes: [fra1]}]
                policies: [{id: p, same_region: true}]
                tailored: [{name: www.example.com, pool: web, policy: p, port: 80}]
                health: {checks: [{type: icmp, port: 80}]}
                """,
            [
                .init(
                    "9:32", "/health/checks/0/port",
                    #"unknown key "port" in check 1, expected type, address, source, interval, timeout, fall or rise: "#
                        + "remove it or correct the spelling"),
                .init(
                    "7:20", "/policies/0/same_region",
                    #"same_region of policy "p" belongs to strategy linear, quadratic, logarithmic or stepped, but the "#
                        + "strategy is nearest: remove it"),
                .init(
                    "8:58", "/tailored/0/port",
                    #"port of tailored name "www.example.com" belongs to type SRV, HTTPS or SVCB, but the type is "#
                        + "addresses: remove it"),
            ]
        ) {
            addNodes(&$0)
            $0.pools = InMemory.list([InMemory.pool(0, "web", nodes: ["fra1"])], "/pools")
            let policy = InMemory.policy(0, "p") { policy, pointer in
                policy.sameRegion = InMemory.value(true, "\(pointer)/same_region")
            }
            $0.policies = InMemory.list([policy], "/policies")
            let name = InMemory.tailored(0, "www.example.com", "web", "p") { name, pointer in
                name.port = InMemory.value(80, "\(pointer)/port")
            }
            $0.tailored = InMemory.list([name], "/tailored")
            var check = CheckDeclaration()
            check.type = InMemory.value("icmp", "/health/checks/0/type")
            check.port = InMemory.value(80, "/health/checks/0/port")
            var health = ServerHealthDeclaration()
            health.common.checks = InMemory.list([check], "/health/checks")
            $0.health = InMemory.value(health, "/health")
        },
        Mistake(
            "a check without a type, and one with a path that is none",
            yaml: base + "health: {checks: [{port: 80}, {type: http, path: x}]}",
            [
                .init("3:19", "/health/checks/0", "type of check 1 is missing: add type: tcp"),
                .init(
                    "3:50", "/health/checks/1/path",
                    #"path of check 2 is "x", expected ASCII without spaces that begins with a slash: correct it"#),
            ]
        ) {
            var (first, second) = (CheckDeclaration(), CheckDeclaration())
            first.port = InMemory.value(80, "/health/checks/0/port")
            second.type = InMemory.value("http", "/health/checks/1/type")
            second.path = InMemory.value("x", "/health/checks/1/path")
            var health = ServerHealthDeclaration()
            health.common.checks = InMemory.list([first, second], "/health/checks")
            $0.health = InMemory.value(health, "/health")
        },
    ]
}
