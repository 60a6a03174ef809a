/// Problems of geo.
extension ProblemCase {
    static let geo: [ProblemCase] = [
        ProblemCase(
            "a day that is none",
            yaml: base + "geo: {minimum_build: 2023-02-29}",
            reports: #"""
                3:22: geo.minimum_build is "2023-02-29", expected a day from 1970-01-01 on: write it like 2023-01-31
                """#),
        ProblemCase(
            "an override with host bits",
            yaml: base + "geo: {overrides: [{prefix: 10.0.0.1/8, label: lab}]}",
            reports: #"""
                3:28: prefix of an entry of geo.overrides is "10.0.0.1/8", expected a network without host bits: \#
                write it like 10.0.0.0/8 or "2001:db8::/32"
                """#),
        ProblemCase(
            "an override of 6to4 addresses",
            yaml: base + #"geo: {overrides: [{prefix: "2002:c000:200::/40", label: lab}]}"#,
            reports: #"""
                3:28: prefix of an entry of geo.overrides is "2002:c000:200::/40", which is 6to4: give its IPv4 \#
                network instead
                """#),
        ProblemCase(
            "an override of mapped addresses",
            yaml: base + #"geo: {overrides: [{prefix: "::ffff:192.0.2.0/120", label: lab}]}"#,
            reports: #"""
                3:28: prefix of an entry of geo.overrides is "::ffff:192.0.2.0/120", which is an IPv4-mapped IPv6 prefix \#
                and never looked up: give the IPv4 network instead
                """#),
        ProblemCase(
            "an override without a prefix",
            yaml: base + "geo: {overrides: [{label: lab}]}",
            reports: #"""
                3:19: prefix of an entry of geo.overrides is missing: add prefix: …
                """#),
        ProblemCase(
            "an override that says nothing",
            yaml: base + "geo: {overrides: [{prefix: 10.0.0.0/8}]}",
            reports: #"""
                3:19: an entry of geo.overrides has neither a place nor a label: add latitude and longitude, or label
                """#),
        ProblemCase(
            "half a point, and a country that is none",
            yaml: base + "geo: {overrides: [{prefix: 10.0.0.0/8, latitude: 91, country: Norway}]}",
            reports: #"""
                3:19: longitude of an entry of geo.overrides is missing: give both latitude and longitude, or none
                3:50: latitude of an entry of geo.overrides is "91", expected decimal degrees from -90 to 90: correct it
                3:63: country of an entry of geo.overrides is "Norway", expected a two-letter country code (ISO \#
                3166-1): write it like DE
                """#),
        ProblemCase(
            "a label of two words",
            yaml: base + "geo: {overrides: [{prefix: 10.0.0.0/8, label: head office}]}",
            reports: #"""
                3:47: label of an entry of geo.overrides is "head office", expected 1 to 63 letters, digits, dots, \#
                hyphens or underscores: rename it
                """#),
        ProblemCase(
            "one network twice",
            yaml: base + """
                geo:
                  overrides:
                    - {prefix: 10.0.0.0/8, label: a}
                    - {prefix: 10.0.0.0/8, label: b}
                """,
            reports: #"""
                6:16: geo.overrides has "10.0.0.0/8" twice, first at line 5: remove one
                """#),
        ProblemCase(
            "autonomous systems without a database of them",
            yaml: base + "geo: {asns: [{asn: 64500, label: partner}]}",
            reports: #"""
                3:20: geo.asns needs a database of autonomous systems: add geo.asn_database: \#
                /path/to/asn.mmdb
                """#),
        ProblemCase(
            "an AS number out of range",
            yaml: base + "geo: {asn_database: asn.mmdb, asns: [{asn: AS64500, label: partner}]}",
            reports: #"""
                3:44: asn of an entry of geo.asns is "AS64500", expected a whole number from 1 to 4294967295: change it
                """#),
    ]
}
