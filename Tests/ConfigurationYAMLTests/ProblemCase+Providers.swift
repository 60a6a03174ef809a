/// Problems of providers, and of the servers that find them.
extension ProblemCase {
    static let providers: [ProblemCase] = [
        ProblemCase(
            "a provider with addresses",
            yaml: base + """
                nodes:
                  - {id: cdn, provider: c.example.net, addresses: [192.0.2.1], hostname: c.example.com}
                """,
            reports: #"""
                4:40: node "cdn" has provider and addresses: a provider is known by its name alone: remove one of them
                4:64: node "cdn" has provider and hostname: a provider is known by its name alone: remove one of them
                """#),
        ProblemCase(
            "a provider in a zone served here, and one that is no name",
            yaml: base + """
                nodes:
                  - {id: a, provider: cdn.example.com}
                  - {id: b, provider: c..example.net}
                """,
            reports: #"""
                4:23: provider of node "a" is "cdn.example.com", which is in a zone served here: give the node \#
                addresses, and this name as its hostname
                5:23: provider of node "b" is not a domain name (a domain name has an empty label; remove the doubled \#
                or leading dot): correct it
                """#),
        ProblemCase(
            "a provider that is a URL, and one that is an address",
            yaml: base + """
                nodes:
                  - {id: a, provider: "https://example.cdn-one.net"}
                  - {id: b, provider: 192.0.2.77}
                """,
            reports: #"""
                4:23: provider of node "a" is "https://example.cdn-one.net", a URL, expected the name of a host: \#
                write "example.cdn-one.net"
                5:23: provider of node "b" is "192.0.2.77", an address, expected the name of a host: write it as \#
                addresses, with a location, instead of provider
                """#),
        ProblemCase(
            "addresses of a pool with a provider",
            yaml: base + """
                nodes:
                  - {id: a, addresses: [192.0.2.1], location: {latitude: 1, longitude: 1}}
                  - {id: b, provider: c.example.net}
                pools: [{id: web, nodes: [a, b]}]
                policies: [{id: nearest}]
                tailored: [{name: www.example.com, pool: web, policy: nearest}]
                """,
            reports: #"""
                8:12: tailored name "www.example.com." of type addresses needs addresses for every node of pool "web", \#
                and b has none: use type CNAME, or a pool without providers
                """#),
        ProblemCase(
            "a provider that is pinged",
            yaml: base + """
                nodes:
                  - {id: b, provider: c.example.net}
                health: {checks: [{type: icmp}]}
                """,
            reports: #"""
                5:19: a check of node "b" is of type icmp, and the node is a provider: use another type, or give the \#
                check an address
                """#),
        ProblemCase(
            "servers for lookups that are no addresses, too many, or twice",
            yaml: base + """
                lookup: {servers: [resolver.example.net, 192.0.2.1, "192.0.2.1:53", "[2001:db8::1]:5353"]}
                """,
            reports: #"""
                3:20: lookup.servers has "resolver.example.net", expected an address and a port: write it \#
                like "192.0.2.53:53" or "[2001:db8::53]:53"
                3:53: lookup.servers has 192.0.2.1:53 twice, first at line 3: remove one
                3:69: lookup.servers has 4 endpoints, expected at most 3: remove 1
                """#),
        ProblemCase(
            "servers for lookups that no server can be",
            yaml: base + """
                lookup: {servers: [0.0.0.0, "[fe80::1]:53", 224.0.0.1]}
                """,
            reports: #"""
                3:20: lookup.servers has 0.0.0.0:53, expected the address of one server: correct it
                3:29: lookup.servers has [fe80::1]:53, a link-local address, which says nothing without its interface: \#
                use another address of the server
                3:45: lookup.servers has 224.0.0.1:53, expected the address of one server: correct it
                """#),
        ProblemCase(
            "no servers for lookups", yaml: base + "lookup: {}",
            reports: #"""
                3:9: lookup.servers is missing: add servers: ["192.0.2.1", "[2001:db8::1]:53"]
                """#),
    ]
}
