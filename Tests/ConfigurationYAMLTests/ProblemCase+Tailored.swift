/// Problems of tailored records and host names.
extension ProblemCase {
    /// After `base` lines 3 to 5, as `twoNodes`, the first node with a host name.
    private static let named = """
        nodes:
          - {id: fra1, hostname: fra1.example.com, addresses: [192.0.2.1], location: {latitude: 50.11, longitude: 8.68}}
          - {id: nyc1, addresses: [192.0.2.2], location: {latitude: 50.11, longitude: 8.68}}

        """
    private static let start = base + named + pool + policy

    static let tailored: [ProblemCase] = [
        ProblemCase(
            "a tailored name of an unknown type",
            yaml: start + "tailored: [{name: www.example.com, type: CNAMES, pool: web, policy: nearest}]",
            reports: #"""
                8:42: type of tailored name "www.example.com" is "CNAMES", expected addresses, SRV, CNAME, HTTPS, SVCB, TXT or MX: did you \#
                mean CNAME?
                """#),
        ProblemCase(
            "TXT of a pool with nodes without texts",
            yaml: base + twoNodes + pool + policy + """
                tailored:
                  - {name: a.example.com, type: TXT, pool: web, policy: nearest}
                """,
            reports: #"""
                9:5: tailored name "a.example.com." of type TXT needs texts for every node of pool "web", and fra1 \#
                has none: add texts to the node
                """#),
        ProblemCase(
            "an asterisk that is no wildcard",
            yaml: start + "tailored: [{name: a.*.example.com, pool: web, policy: nearest}]",
            reports: #"""
                8:19: tailored name "a.*.example.com" has the label * below its first one, where it is no wildcard (RFC 4592, \#
                section 2.1.1): use * as the first label only
                """#),
        ProblemCase(
            "keys of another type",
            yaml: start + "tailored: [{name: www.example.com, pool: web, policy: nearest, port: 80, alpn: [h2]}]",
            reports: #"""
                8:64: port of tailored name "www.example.com" belongs to type SRV, HTTPS or SVCB, but the type is addresses: \#
                remove it
                8:74: alpn of tailored name "www.example.com" belongs to type HTTPS or SVCB, but the type is addresses: remove it
                """#),
        ProblemCase(
            "SRV without a port",
            yaml: start + "tailored: [{name: _http._tcp.example.com, type: SRV, pool: web, policy: nearest}]",
            reports: #"""
                8:12: port of tailored name "_http._tcp.example.com" is missing: add port: 8080
                """#),
        ProblemCase(
            "SRV with port and priority out of range",
            yaml: start + """
                tailored:
                  - {name: a.example.com, type: SRV, pool: web, policy: nearest, port: 0, priority: 65536}
                """,
            reports: #"""
                9:72: port of tailored name "a.example.com" is "0", expected a whole number from 1 to 65535: change it
                9:85: priority of tailored name "a.example.com" is "65536", expected a whole number from 0 to 65535: \#
                change it
                """#),
        ProblemCase(
            "SRV and CNAME of a pool with a node without a host name",
            yaml: base + twoNodes + pool + policy + """
                tailored:
                  - {name: a.example.com, type: SRV, pool: web, policy: nearest, port: 80}
                  - {name: b.example.com, type: CNAME, pool: web, policy: nearest}
                """,
            reports: #"""
                9:5: tailored name "a.example.com." of type SRV needs a hostname for every node of pool "web", and fra1 \#
                has none: add hostname to the node
                10:5: tailored name "b.example.com." of type CNAME needs a hostname for every node of pool "web", and \#
                fra1 has none: add hostname to the node
                """#),
        ProblemCase(
            "a host name outside every zone",
            yaml: base + """
                nodes:
                  - {id: a, hostname: a.example.org, addresses: [192.0.2.1], location: {latitude: 1, longitude: 1}}
                """,
            reports: #"""
                4:23: hostname of node "a" is "a.example.org", which is in none of the zones (example.com): add its zone \#
                under zones or correct the name
                """#),
        ProblemCase(
            "a host name that is no name, and one that is tailored",
            yaml: base + """
                nodes:
                  - {id: a, hostname: a..example.com, addresses: [192.0.2.1], location: {latitude: 1, longitude: 1}}
                  - {id: b, hostname: www.example.com, addresses: [192.0.2.2], location: {latitude: 1, longitude: 1}}
                pools: [{id: web, nodes: [b]}]
                policies: [{id: nearest}]
                tailored: [{name: WWW.example.com, pool: web, policy: nearest}]
                """,
            reports: #"""
                4:23: hostname of node "a" is not a domain name (a domain name has an empty label; remove the doubled or \#
                leading dot): correct it
                5:23: hostname of node "b" is "www.example.com.", which is tailored at line 8, expected a name with \#
                addresses of its own: use another
                """#),
        ProblemCase(
            "HTTPS beside an alias, and beside addresses of another policy",
            yaml: base + named + pool + """
                policies: [{id: nearest}, {id: other}]
                tailored:
                  - {name: a.example.com, type: CNAME, pool: web, policy: nearest}
                  - {name: a.example.com, type: HTTPS, pool: web, policy: nearest}
                  - {name: b.example.com, pool: web, policy: nearest}
                  - {name: b.example.com, type: HTTPS, pool: web, policy: other}
                """,
            reports: #"""
                10:5: tailored name "a.example.com." of type HTTPS is tailored at line 9 as a type other than addresses: \#
                remove one
                12:5: tailored name "b.example.com." of type HTTPS differs in pool, policy or views from its addresses at line \#
                11, expected the same, so that the hints are its addresses: change one of them
                """#),
        ProblemCase(
            "two tailored names of one kind, and an ALPN id twice",
            yaml: start + """
                tailored:
                  - {name: a.example.com, type: HTTPS, pool: web, policy: nearest, alpn: [h2, h2]}
                  - {name: A.example.com, type: HTTPS, pool: web, policy: nearest}
                """,
            reports: #"""
                9:79: an entry of alpn of tailored name "a.example.com" is "h2", expected each once: remove it
                10:12: tailored name "A.example.com" is defined twice, first at line 9: remove one
                """#),
        ProblemCase(
            "SVCB beside HTTPS, and beside a CNAME",
            yaml: start + """
                tailored:
                  - {name: a.example.com, type: HTTPS, pool: web, policy: nearest}
                  - {name: a.example.com, type: SVCB, pool: web, policy: nearest}
                  - {name: _dns.example.com, type: CNAME, pool: web, policy: nearest}
                  - {name: _dns.example.com, type: SVCB, pool: web, policy: nearest, port: 853}
                """,
            reports: #"""
                10:12: tailored name "a.example.com" is defined twice, first at line 9: remove one
                12:5: tailored name "_dns.example.com." of type SVCB is tailored at line 11 as a type other \#
                than addresses: remove one
                """#),
    ]
}
