/// Problems of zones and tailored names.
extension ProblemCase {
    static let names: [ProblemCase] = [
        ProblemCase(
            "an empty list of zones",
            yaml: #"""
                listen: ["192.0.2.53:53"]
                zones: []
                """#,
            reports: #"""
                2:8: zones is an empty list, expected at least one zone: write zones: [{origin: example.com, file: \#
                zones/example.com.zone}]
                """#),
        ProblemCase(
            "a zone without a file",
            yaml: #"""
                listen: ["192.0.2.53:53"]
                zones: [{origin: example.com}]
                """#,
            reports: #"""
                2:9: file of zone "example.com" is missing: add file: zones/example.com.zone
                """#),
        ProblemCase(
            "a zone with an empty label",
            yaml: #"""
                listen: ["192.0.2.53:53"]
                zones: [{origin: example..com, file: e.zone}]
                """#,
            reports: #"""
                2:18: zone "example..com" is not a domain name (a domain name has an empty label; remove the \#
                doubled or leading dot): correct the origin
                """#),
        ProblemCase(
            "a zone twice, in another case",
            yaml: #"""
                listen: ["192.0.2.53:53"]
                zones:
                  - {origin: example.com, file: a}
                  - {origin: EXAMPLE.com., file: b}
                """#,
            reports: #"""
                4:14: zone "EXAMPLE.com." is defined twice, first at line 3: remove one
                """#),
        ProblemCase(
            "a tailored name outside every zone",
            yaml: base + twoNodes + pool + policy + #"tailored: [{name: www.example.org, pool: web, policy: nearest}]"#,
            reports: #"""
                8:19: tailored name "www.example.org" is in none of the zones (example.com): add its zone under \#
                zones or correct the name
                """#),
        ProblemCase(
            "a tailored name that only ends in the same letters",
            yaml: base + twoNodes + pool + policy + #"tailored: [{name: badexample.com, pool: web, policy: nearest}]"#,
            reports: #"""
                8:19: tailored name "badexample.com" is in none of the zones (example.com): add its zone under \#
                zones or correct the name
                """#),
        ProblemCase(
            "a tailored name twice",
            yaml: base + twoNodes + pool + policy + #"""
                tailored:
                  - {name: www.example.com, pool: web, policy: nearest}
                  - {name: WWW.example.com, pool: web, policy: nearest}
                """#,
            reports: #"""
                10:12: tailored name "WWW.example.com" is defined twice, first at line 9: remove one
                """#),
        ProblemCase(
            "a tailored name with an unknown pool",
            yaml: base + twoNodes + pool + policy + #"tailored: [{name: www.example.com, pool: wbe, policy: nearest}]"#,
            reports: #"""
                8:42: tailored name "www.example.com" names pool "wbe", which is not among pools (web): add it \#
                under pools or correct the spelling
                """#),
        ProblemCase(
            "a tailored name with an unknown policy",
            yaml: base + twoNodes + pool + policy + #"tailored: [{name: www.example.com, pool: web, policy: neares}]"#,
            reports: #"""
                8:55: tailored name "www.example.com" names policy "neares", which is not among policies \#
                (nearest): add it under policies or correct the spelling
                """#),
        ProblemCase(
            "a tailored name without pool and policy",
            yaml: base + #"tailored: [{name: www.example.com}]"#,
            reports: #"""
                3:12: pool of tailored name "www.example.com" is missing: add pool: web
                3:12: policy of tailored name "www.example.com" is missing: add policy: nearest
                """#),
        ProblemCase(
            "a label of 64 bytes",
            yaml: base + twoNodes + pool + policy + #"""
                tailored: [{name: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx.example.com, \#
                pool: web, policy: nearest}]
                """#,
            reports: #"""
                8:19: tailored name "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…" is not a \#
                domain name (a label is longer than 63 bytes): correct the name
                """#),
    ]
}
