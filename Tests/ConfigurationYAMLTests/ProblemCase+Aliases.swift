/// Problems of aliases.
extension ProblemCase {
    static let aliases: [ProblemCase] = [
        ProblemCase(
            "aliases that cannot be",
            yaml: base + """
                aliases:
                  - {name: example.org, target: a.example.net}
                  - {name: "*.example.com", target: a.example.net}
                  - {name: a.example.com, target: b.example.net}
                  - {name: b.example.com, target: a..example.net}
                  - {name: A.example.com, target: a.example.net}
                  - {name: c.example.com}
                  - {name: d.example.com, target: a.example.net, ttl: 0, stale: 1s}
                """,
            reports: #"""
                4:12: alias "example.org" is in none of the zones (example.com): add its zone under zones or correct \#
                the name
                5:12: alias "*.example.com" is a wildcard: write an alias for each name
                7:35: target of alias "b.example.com" is not a domain name (a domain name has an empty label; remove \#
                the doubled or leading dot): correct it
                8:12: alias "A.example.com" is defined twice, first at line 6: remove one
                9:5: target of alias "c.example.com" is missing: add target: example.cdn.net
                10:55: ttl of alias "d.example.com" is "0", expected a whole number from 1 to 86400 seconds: change it
                10:65: stale of alias "d.example.com" is "1s", expected a duration from 1m to 7d: change it
                """#),
        ProblemCase(
            "targets that are no names of hosts",
            yaml: base + """
                aliases:
                  - {name: a.example.com, target: 203.0.113.5}
                  - {name: b.example.com, target: "2001:db8::5"}
                  - {name: c.example.com, target: "https://cdn.example.net:8443/path"}
                  - {name: d.example.com, target: cdn example.net}
                  - {name: e.example.com, target: "*.example.net"}
                  - {name: f.example.com, target: a.203.0.113.5}
                  - {name: g.example.com, target: "https://"}
                  - {name: h.example.com, target: _cdn.e-1.example.net.}
                  - {name: i.example.com, target: .}
                """,
            reports: #"""
                4:35: target of alias "a.example.com" is "203.0.113.5", an address, expected the name of a host: give \#
                the name this address in its zone, without an alias
                5:35: target of alias "b.example.com" is "2001:db8::5", an address, expected the name of a host: give \#
                the name this address in its zone, without an alias
                6:35: target of alias "c.example.com" is "https://cdn.example.net:8443/path", a URL, expected the \#
                name of a host: write "cdn.example.net"
                7:35: target of alias "d.example.com" is "cdn example.net", expected the name of a host: use letters, \#
                digits and hyphens, and no number as its last label
                8:35: target of alias "e.example.com" is "*.example.net", expected the name of a host: use letters, \#
                digits and hyphens, and no number as its last label
                9:35: target of alias "f.example.com" is "a.203.0.113.5", expected the name of a host: use letters, \#
                digits and hyphens, and no number as its last label
                10:35: target of alias "g.example.com" is "https://", a URL, expected the name of a host: write the \#
                host's name alone
                12:35: target of alias "i.example.com" is ".", expected the name of a host: use letters, digits and \#
                hyphens, and no number as its last label
                """#),
        ProblemCase(
            "an alias of a name that is served here, and one that is tailored",
            yaml: base + twoNodes + pool + policy + """
                tailored: [{name: www.example.com, pool: web, policy: nearest}]
                aliases:
                  - {name: example.com, target: www.example.com}
                  - {name: www.example.com, target: a.example.net}
                  - {name: a.example.com, target: EXAMPLE.com.}
                """,
            reports: #"""
                10:33: target of alias "example.com" is "www.example.com", which is in a zone served here: use a CNAME \#
                record, or give the name its own addresses in the zone
                11:12: alias "www.example.com" is tailored at line 8: remove one of them
                12:35: target of alias "a.example.com" is "EXAMPLE.com.", which is in a zone served here: use a CNAME \#
                record, or give the name its own addresses in the zone
                """#),
    ]
}
