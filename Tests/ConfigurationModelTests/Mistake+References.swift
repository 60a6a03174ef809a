import ConfigurationModel

/// Names that do not exist, or exist twice.
extension Mistake {
    static let references: [Mistake] = [
        Mistake(
            "a node, an endpoint and a name twice",
            yaml: """
                listen: ["192.0.2.53:53", "192.0.2.53:53"]
                zones:
                  - {origin: example.com, file: e.zone}
                  - {origin: EXAMPLE.com, file: e.zone}
                nodes:
                  - {id: fra1, addresses: [192.0.2.1], location: {latitude: 50.11, longitude: 8.68}}
                  - {id: fra1, addresses: [192.0.2.2], location: {latitude: 50.11, longitude: 8.68}}
                """,
            [
                .init(
                    "1:27", "/listen/1", "listen has 192.0.2.53:53 twice, first at @: remove one",
                    other: ("line 1", "/listen/0")),
                .init(
                    "7:10", "/nodes/1/id", #"node "fra1" is defined twice, first at @: remove or rename one"#,
                    other: ("line 6", "/nodes/0/id")),
                .init(
                    "4:14", "/zones/1/origin", #"zone "EXAMPLE.com" is defined twice, first at @: remove one"#,
                    other: ("line 3", "/zones/0/origin")),
            ]
        ) {
            $0.listen = InMemory.list(["192.0.2.53:53", "192.0.2.53:53"], "/listen")
            $0.zones = InMemory.list(
                [
                    InMemory.zone(0, "example.com", file: "e.zone"), InMemory.zone(1, "EXAMPLE.com", file: "e.zone"),
                ], "/zones")
            $0.nodes = InMemory.list(
                [InMemory.node(0, "fra1", "192.0.2.1"), InMemory.node(1, "fra1", "192.0.2.2")], "/nodes")
        },
        Mistake(
            "an unknown node in a pool, and an unknown pool and policy of a name",
            yaml: base + nodes + """
                pools: [{id: web, nodes: [fra1, fra2]}]
                policies: [{id: p}]
                tailored: [{name: www.example.com, pool: wbe, policy: q}]
                """,
            [
                .init(
                    "6:33", "/pools/0/nodes/1",
                    #"pool "web" names node "fra2", which is not among nodes (fra1, nyc1): add it under nodes or correct "#
                        + "the spelling"),
                .init(
                    "8:55", "/tailored/0/policy",
                    #"tailored name "www.example.com" names policy "q", which is not among policies (p): add it under "#
                        + "policies or correct the spelling"),
                .init(
                    "8:42", "/tailored/0/pool",
                    #"tailored name "www.example.com" names pool "wbe", which is not among pools (web): add it under "#
                        + "pools or correct the spelling"),
            ]
        ) {
            addNodes(&$0)
            $0.pools = InMemory.list([InMemory.pool(0, "web", nodes: ["fra1", "fra2"])], "/pools")
            $0.policies = InMemory.list([InMemory.policy(0, "p")], "/policies")
            $0.tailored = InMemory.list([InMemory.tailored(0, "www.example.com", "wbe", "q")], "/tailored")
        },
        Mistake(
            "a view that does not exist, of a name outside every zone",
            yaml: base + nodes + """
                pools: [{id: web, nodes: [fra1]}]
                policies: [{id: p}]
                views: [{id: office, clients: [10.0.0.0/8]}]
                tailored: [{name: www.example.org, pool: web, policy: p, views: {ofice: {pool: web}}}]
                """,
            [
                .init(
                    "9:19", "/tailored/0/name",
                    #"tailored name "www.example.org" is in none of the zones (example.com): add its zone under zones or "#
                        + "correct the name"),
                .init(
                    "9:66", "/tailored/0/views/ofice",
                    #"unknown key "ofice" in views of tailored name "www.example.org", expected office: did you mean "#
                        + "office?"),
            ]
        ) {
            addNodes(&$0)
            $0.pools = InMemory.list([InMemory.pool(0, "web", nodes: ["fra1"])], "/pools")
            $0.policies = InMemory.list([InMemory.policy(0, "p")], "/policies")
            var view = ViewDeclaration()
            view.id = InMemory.value("office", "/views/0/id")
            view.clients = InMemory.list(["10.0.0.0/8"], "/views/0/clients")
            $0.views = InMemory.list([view], "/views")
            let name = InMemory.tailored(0, "www.example.org", "web", "p") { name, pointer in
                var choice = TailoredViewDeclaration.Choice()
                choice.pool = InMemory.value("web", "\(pointer)/views/ofice/pool")
                let location = InMemory.location("\(pointer)/views/ofice")
                let entry = TailoredViewDeclaration(
                    view: Located("ofice", at: location), choice: Declared(choice, at: location))
                name.views = InMemory.value([entry], "\(pointer)/views")
            }
            $0.tailored = InMemory.list([name], "/tailored")
        },
        Mistake(
            "the node of rtt is unknown, and its file is a zone's",
            yaml: base + nodes + "rtt: {node: fra2, ports: [443, 443], file: e.zone}",
            [
                .init(
                    "6:13", "/rtt/node",
                    #"rtt names node "fra2", which is not among nodes (fra1, nyc1): add it under nodes or correct the "#
                        + "spelling"),
                .init("6:32", "/rtt/ports/1", "rtt.ports has 443 twice: remove one"),
            ]
        ) {
            addNodes(&$0)
            var roundTrips = RoundTripsDeclaration()
            roundTrips.node = InMemory.value("fra2", "/rtt/node")
            roundTrips.ports = InMemory.list([443, 443], "/rtt/ports")
            roundTrips.file = InMemory.value("e.zone", "/rtt/file")
            $0.roundTrips = InMemory.value(roundTrips, "/rtt")
        },
    ]
}
