/// Problems of nodes.
extension ProblemCase {
    static let nodes: [ProblemCase] = [
        ProblemCase(
            "an empty list of nodes",
            yaml: base + #"nodes: []"#,
            reports: #"""
                3:8: nodes is an empty list, expected at least one node: write nodes: [{id: fra1, addresses: \#
                [198.51.100.10], location: {latitude: 50.11, longitude: 8.68}}]
                """#),
        ProblemCase(
            "a node that is a text",
            yaml: base + #"nodes: [fra1]"#,
            reports: #"""
                3:9: entry 1 of nodes is "fra1", expected a mapping: write it as {id: …, addresses: …, overlay: …, hostname: …, provider: …, texts: …, location: …, capacity: …, health: …}
                """#),
        ProblemCase(
            "a node without an id",
            yaml: base + #"""
                nodes:
                  - {addresses: [192.0.2.1], location: {latitude: 50.11, longitude: 8.68}}
                """#,
            reports: #"""
                4:5: id of entry 1 of nodes is missing: add id: fra1
                """#),
        ProblemCase(
            "an id with a space",
            yaml: base + #"""
                nodes:
                  - id: fra 1
                    addresses: [192.0.2.1]
                    location: {latitude: 1, longitude: 2}
                """#,
            reports: #"""
                4:9: node id "fra 1" is not well formed, expected 1 to 63 letters, digits, dots, hyphens or \#
                underscores: rename it
                """#),
        ProblemCase(
            "an id of 64 characters",
            yaml: base + #"""
                nodes:
                  - id: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
                    addresses: [192.0.2.1]
                    location: {latitude: 1, longitude: 2}
                """#,
            reports: #"""
                4:9: node id "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…" is not well formed, \#
                expected 1 to 63 letters, digits, dots, hyphens or underscores: rename it
                """#),
        ProblemCase(
            "a node twice",
            yaml: base + twoNodes
                + #"  - {id: fra1, addresses: [192.0.2.3], location: {latitude: 50.11, longitude: 8.68}}"#,
            reports: #"""
                6:10: node "fra1" is defined twice, first at line 4: remove or rename one
                """#),
        ProblemCase(
            "a node without addresses and location",
            yaml: base + #"""
                nodes:
                  - id: fra1
                """#,
            reports: #"""
                4:5: addresses of node "fra1" is missing: add addresses: [198.51.100.10, "2001:db8:10::1"], or \#
                provider: cdn.example.net for an outside host
                4:5: location of node "fra1" is missing: add location: {latitude: 50.11, longitude: 8.68}
                """#),
        ProblemCase(
            "an empty list of addresses",
            yaml: base + #"""
                nodes:
                  - id: fra1
                    addresses: []
                    location: {latitude: 1, longitude: 2}
                """#,
            reports: #"""
                5:16: addresses of node "fra1" is an empty list, expected at least one IP address: write \#
                addresses: [198.51.100.10, "2001:db8:10::1"]
                """#),
        ProblemCase(
            "an address that is none",
            yaml: base + #"""
                nodes:
                  - id: fra1
                    addresses: [192.0.2.256]
                    location: {latitude: 1, longitude: 2}
                """#,
            reports: #"""
                5:17: node "fra1" has the address "192.0.2.256", expected an IPv4 or IPv6 address: write it like \#
                198.51.100.10 or "2001:db8:10::1"
                """#),
        ProblemCase(
            "an address with a port",
            yaml: base + #"""
                nodes:
                  - id: fra1
                    addresses: ["192.0.2.1:80"]
                    location: {latitude: 1, longitude: 2}
                """#,
            reports: #"""
                5:17: node "fra1" has the address "192.0.2.1:80", expected an IPv4 or IPv6 address: remove the port
                """#),
        ProblemCase(
            "two IPv4 addresses",
            yaml: base + #"""
                nodes:
                  - id: fra1
                    addresses: [192.0.2.1, 192.0.2.2]
                    location: {latitude: 1, longitude: 2}
                """#,
            reports: #"""
                5:28: node "fra1" has a second IPv4 address, 192.0.2.2, expected at most one IPv4 and one IPv6 \#
                address: define one node per address
                """#),
        ProblemCase(
            "two IPv6 addresses",
            yaml: base + #"""
                nodes:
                  - id: fra1
                    addresses: ["2001:db8::1", 192.0.2.2, "2001:db8::2"]
                    location: {latitude: 1, longitude: 2}
                """#,
            reports: #"""
                5:43: node "fra1" has a second IPv6 address, 2001:db8::2, expected at most one IPv4 and one IPv6 \#
                address: define one node per address
                """#),
        ProblemCase(
            "a location without longitude",
            yaml: base + #"""
                nodes:
                  - id: fra1
                    addresses: [192.0.2.1]
                    location: {latitude: 1}
                """#,
            reports: #"""
                6:15: location.longitude of node "fra1" is missing: add longitude: 8.68
                """#),
        ProblemCase(
            "a latitude beyond the pole",
            yaml: base + #"""
                nodes:
                  - id: fra1
                    addresses: [192.0.2.1]
                    location: {latitude: 90.0000001, longitude: 8.68}
                """#,
            reports: #"""
                6:26: location.latitude of node "fra1" is "90.0000001", expected decimal degrees from -90 to 90: \#
                correct it
                """#),
        ProblemCase(
            "a longitude beyond the date line",
            yaml: base + #"""
                nodes:
                  - id: fra1
                    addresses: [192.0.2.1]
                    location: {latitude: 1, longitude: -180.5}
                """#,
            reports: #"""
                6:40: location.longitude of node "fra1" is "-180.5", expected decimal degrees from -180 to 180: \#
                correct it
                """#),
        ProblemCase(
            "a latitude in scientific notation",
            yaml: base + #"""
                nodes:
                  - id: fra1
                    addresses: [192.0.2.1]
                    location: {latitude: 5e1, longitude: 1}
                """#,
            reports: #"""
                6:26: location.latitude of node "fra1" is "5e1", expected decimal degrees from -90 to 90: write it \#
                like latitude: 50.11
                """#),
        ProblemCase(
            "a latitude in quotes",
            yaml: base + #"""
                nodes:
                  - id: fra1
                    addresses: [192.0.2.1]
                    location: {latitude: "50.11", longitude: 1}
                """#,
            reports: #"""
                6:26: location.latitude of node "fra1" is the text "50.11", expected decimal degrees from -90 to \#
                90: remove the quotes
                """#),
        ProblemCase(
            "a country by name",
            yaml: base + #"""
                nodes:
                  - id: fra1
                    addresses: [192.0.2.1]
                    location: {latitude: 1, longitude: 2, country: Germany}
                """#,
            reports: #"""
                6:52: location.country of node "fra1" is "Germany", expected a two-letter country code (ISO \#
                3166-1): write it like DE
                """#),
        ProblemCase(
            "an unknown continent",
            yaml: base + #"""
                nodes:
                  - id: fra1
                    addresses: [192.0.2.1]
                    location: {latitude: 1, longitude: 2, continent: Europe}
                """#,
            reports: #"""
                6:54: location.continent of node "fra1" is "Europe", expected AF, AN, AS, EU, NA, OC or SA: use \#
                the continent's code
                """#),
        ProblemCase(
            "an empty region",
            yaml: base + #"""
                nodes:
                  - id: fra1
                    addresses: [192.0.2.1]
                    location: {latitude: 1, longitude: 2, region: }
                """#,
            reports: #"""
                6:51: location.region of node "fra1" is empty, expected the name of a region: give it a value
                """#),
    ]
}
