/// Problems of rules.
extension ProblemCase {
    static let rules: [ProblemCase] = [
        ProblemCase(
            "a rule for nobody",
            yaml: base + twoNodes + #"""
                policies:
                  - {id: p, rules: [{pin: [fra1]}]}
                """#,
            reports: #"""
                7:21: rule 1 of policy "p" does not select any clients, expected countries, regions, \#
                continents, asns, prefixes, labels or everyone: add countries: [DE]
                """#),
        ProblemCase(
            "a rule without an action",
            yaml: base + twoNodes + #"""
                policies:
                  - {id: p, rules: [{countries: [DE]}]}
                """#,
            reports: #"""
                7:21: rule 1 of policy "p" has no action, expected one of allow, deny or pin: write one
                """#),
        ProblemCase(
            "a rule with two actions",
            yaml: base + twoNodes + #"""
                policies:
                  - {id: p, rules: [{countries: [DE], allow: [fra1], deny: [nyc1]}]}
                """#,
            reports: #"""
                7:54: rule 1 of policy "p" has allow and deny, expected one of allow, deny or pin: write one
                """#),
        ProblemCase(
            "a pin to all",
            yaml: base + twoNodes + #"""
                policies:
                  - {id: p, rules: [{countries: [DE], pin: all}]}
                """#,
            reports: #"""
                7:44: pin of rule 1 of policy "p" is "all", expected the nodes that alone serve the clients: name \#
                them, or use allow
                """#),
        ProblemCase(
            "an unknown node in a rule",
            yaml: base + twoNodes + #"""
                policies:
                  - {id: p, rules: [{countries: [DE], pin: [fra2]}]}
                """#,
            reports: #"""
                7:45: rule 1 of policy "p" names node "fra2", which is not among nodes (fra1, nyc1): add it under \#
                nodes or correct the spelling
                """#),
        ProblemCase(
            "an unknown country in a rule",
            yaml: base + twoNodes + #"""
                policies:
                  - {id: p, rules: [{countries: [DE, XX, UK, Germany], deny: all}]}
                """#,
            reports: #"""
                7:38: an entry of countries of rule 1 of policy "p" is "XX", expected a two-letter country code \#
                (ISO 3166-1): correct it
                7:42: an entry of countries of rule 1 of policy "p" is "UK", expected a two-letter country code \#
                (ISO 3166-1): write GB
                7:46: an entry of countries of rule 1 of policy "p" is "Germany", expected a two-letter country \#
                code (ISO 3166-1): write it like DE
                """#),
        ProblemCase(
            "an unknown continent in a rule",
            yaml: base + twoNodes + #"""
                policies:
                  - {id: p, rules: [{continents: [ER], deny: all}]}
                """#,
            reports: #"""
                7:35: an entry of continents of rule 1 of policy "p" is "ER", expected AF, AN, AS, EU, NA, OC or \#
                SA: use the continent's code
                """#),
        ProblemCase(
            "a region without its country",
            yaml: base + twoNodes + #"""
                policies:
                  - {id: p, rules: [{regions: [Hesse, XX-Hesse], deny: all}]}
                """#,
            reports: #"""
                7:32: an entry of regions of rule 1 of policy "p" is "Hesse", expected a country's code, a hyphen \#
                and the region as the city database names it: write it like US-California
                7:39: an entry of regions of rule 1 of policy "p" is "XX-Hesse", expected a country's code, a \#
                hyphen and the region as the city database names it: write it like US-California
                """#),
        ProblemCase(
            "an ASN of 0",
            yaml: base + twoNodes + #"""
                policies:
                  - {id: p, rules: [{asns: [0], deny: all}]}
                """#,
            reports: #"""
                7:29: an entry of asns of rule 1 of policy "p" is "0", expected a whole number from 1 to \#
                4294967295: change it
                """#),
        ProblemCase(
            "a prefix with host bits in a rule",
            yaml: base + twoNodes + #"""
                policies:
                  - {id: p, rules: [{prefixes: [192.0.2.1/24], deny: all}]}
                """#,
            reports: #"""
                7:33: prefixes of rule 1 of policy "p" has "192.0.2.1/24", expected a network whose bits after the \#
                first 24 are zero: write 192.0.2.0/24
                """#),
        ProblemCase(
            "a label of other characters",
            yaml: base + twoNodes + #"""
                policies:
                  - {id: p, rules: [{labels: [the office], deny: all}]}
                """#,
            reports: #"""
                7:31: an entry of labels of rule 1 of policy "p" is "the office", expected 1 to 63 letters, digits, \#
                dots, hyphens or underscores: rename it
                """#),
        ProblemCase(
            "everyone as false",
            yaml: base + twoNodes + #"""
                policies:
                  - {id: p, rules: [{everyone: false, deny: [fra1]}]}
                """#,
            reports: #"""
                7:32: everyone of rule 1 of policy "p" is "false", expected true: remove the key
                """#),
        ProblemCase(
            "two pins of one country",
            yaml: base + twoNodes + #"""
                policies:
                  - id: p
                    rules:
                      - {countries: [DE, AT], pin: [fra1]}
                      - {countries: [AT], pin: [nyc1]}
                """#,
            reports: #"""
                10:22: policy "p" has pin for country AT twice, first at line 9: keep one of them
                """#),
        ProblemCase(
            "a pin and a denial of the same node",
            yaml: base + twoNodes + #"""
                policies:
                  - id: p
                    rules:
                      - {asns: [64500], pin: [fra1]}
                      - {asns: [64500], deny: all}
                geo: {asn_database: asn.mmdb}
                """#,
            reports: #"""
                10:17: policy "p" has deny for AS 64500, and pin for the same nodes at line 9: keep one of them
                """#),
        ProblemCase(
            "a rule for an autonomous system without a database of them, and another mistake",
            yaml: base + twoNodes + #"""
                policies:
                  - id: p
                    answers: 9
                    rules: [{countries: [DE], pin: [fra1]}, {asns: [64500, 64501], pin: [fra1]}]
                  - id: q
                    rules: [{asns: [64502], deny: all}]
                """#,
            reports: #"""
                8:14: answers of policy "p" is "9", expected a whole number from 1 to 8: change it
                11:21: a rule of policy "q" is for AS 64502, but there is no database of autonomous \#
                systems: add geo: {asn_database: /path/to/asn.mmdb}
                """#),
    ]
}
