/// Problems of YAML itself and unknown or missing keys.
extension ProblemCase {
    static let document: [ProblemCase] = [
        ProblemCase(
            "an empty file",
            yaml: "",
            reports: #"""
                1:1: the file is empty, expected a mapping with at least listen and zones: see docs/configuration.md
                """#),
        ProblemCase(
            "a file of comments",
            yaml: #"""
                # nothing

                """#,
            reports: #"""
                1:1: the file is empty, expected a mapping with at least listen and zones: see docs/configuration.md
                """#),
        ProblemCase(
            "a list instead of a mapping",
            yaml: #"- listen"#,
            reports: #"""
                1:1: the file holds a list, expected a mapping with at least listen and zones: see \#
                docs/configuration.md
                """#),
        ProblemCase(
            "a text instead of a mapping",
            yaml: #"listen"#,
            reports: #"""
                1:1: the file holds "listen", expected a mapping with at least listen and zones: see \#
                docs/configuration.md
                """#),
        ProblemCase(
            "a bracket that is not closed",
            yaml: #"""
                listen: ["192.0.2.53:53"
                zones: []
                """#,
            reports: #"""
                2:1: the YAML is malformed (did not find expected ',' or ']' while parsing a flow sequence from \#
                line 1): correct the syntax here or just before
                """#),
        ProblemCase(
            "a tab as indentation",
            yaml: #"""
                listen:
                \#t- 192.0.2.53:53
                """#,
            reports: #"""
                2:1: the YAML is malformed (found character that cannot start any token while scanning for the \#
                next token from line 2): correct the syntax here or just before
                """#),
        ProblemCase(
            "an unclosed quote",
            yaml: #"""
                listen: ["192.0.2.53:53"]
                control: "/run/x
                """#,
            reports: #"""
                2:17: the YAML is malformed (found unexpected end of stream while scanning a quoted scalar from \#
                line 2): correct the syntax here or just before
                """#),
        ProblemCase(
            "a control character",
            yaml: #"""
                listen: ["192.0.2.53:53"]
                control: /run/\#u{1}x
                """#,
            reports: #"""
                2:15: the YAML is malformed (control characters are not allowed): remove the character
                """#),
        ProblemCase(
            "an unknown alias",
            yaml: #"listen: *endpoints"#,
            reports: #"""
                1:9: "*endpoints" is a YAML anchor or alias, expected none: write the value out
                """#),
        ProblemCase(
            "a second document",
            yaml: base + #"""
                ---
                listen: []
                """#,
            reports: #"""
                3:1: the YAML is malformed (expected a single document in the stream, but found another document): \#
                remove it
                """#),
        ProblemCase(
            "a key twice at the top level",
            yaml: base + #"listen: ["192.0.2.54:53"]"#,
            reports: #"""
                1:1: key "listen" is given again later in the same mapping, expected each key once: keep one of them
                """#),
        ProblemCase(
            "a key twice in an entry",
            yaml: base + #"""
                nodes:
                  - {id: fra1, id: fra1}
                """#,
            reports: #"""
                4:6: key "id" is given again later in the same mapping, expected each key once: keep one of them
                """#),
        ProblemCase(
            "an unknown key close to a known one",
            yaml: base + #"polices: [{id: nearest}]"#,
            reports: #"""
                3:1: unknown key "polices" at the top level, expected listen, tcp, tls, control, metrics, lookup, fast_path, \#
                geo, identity, cookies, rate_limit, health, rtt, nodes, pools, regions, policies, views, zones, tailored, aliases, state, watch, lint or include: \#
                did you mean policies?
                """#),
        ProblemCase(
            "an unknown key like no known one",
            yaml: base + #"logging: debug"#,
            reports: #"""
                3:1: unknown key "logging" at the top level, expected listen, tcp, tls, control, metrics, lookup, fast_path, \#
                geo, identity, cookies, rate_limit, health, rtt, nodes, pools, regions, policies, views, zones, tailored, aliases, state, watch, lint or include: \#
                remove it or correct the spelling
                """#),
        ProblemCase(
            "an unknown key in an entry",
            yaml: base + #"""
                pools: []
                nodes:
                  - {id: fra1, addresses: [192.0.2.1], location: {latitude: 50.11, longitude: 8.68}}
                  - {id: nyc1, adresses: [192.0.2.2], addresses: [192.0.2.2], location: {latitude: 50.11, \#
                longitude: 8.68}}
                """#,
            reports: #"""
                3:8: pools is an empty list, expected at least one pool: write pools: [{id: web, nodes: [fra1]}]
                6:16: unknown key "adresses" in node "nyc1", expected id, addresses, overlay, hostname, provider, texts, location, capacity or health: did you mean \#
                addresses?
                """#),
        ProblemCase(
            "a merge key",
            yaml: base + #"""
                policies:
                  - {id: p}
                  - {<<: {id: p}, id: q}
                """#,
            reports: #"""
                5:6: unknown key "<<" in policy "q", expected id, strategy, answers, ttl, tolerance, ecs, \#
                when_all_down, same_region, bias_factor, latency, weigh_by, maximum_distance or rules: remove it or \#
                correct the spelling
                """#),
        ProblemCase(
            "a key that is not text",
            yaml: base + #"""
                ? [a, b]
                : c
                """#,
            reports: #"""
                3:3: unknown key a list at the top level, expected listen, tcp, tls, control, metrics, lookup, fast_path, \#
                geo, identity, cookies, rate_limit, health, rtt, nodes, pools, regions, policies, views, zones, tailored, aliases, state, watch, lint or include: \#
                remove it or correct the spelling
                """#),
        ProblemCase(
            "nothing that must be there",
            yaml: #"control: /run/x.sock"#,
            reports: #"""
                1:1: listen is missing: add listen: ["192.0.2.53:53", "[2001:db8::53]:53"]
                1:1: zones is missing: add zones: [{origin: example.com, file: zones/example.com.zone}]
                """#),
        ProblemCase(
            "a tag",
            yaml: base + #"control: !include other.yaml"#,
            reports: #"""
                3:10: control has the tag !include, expected a path: remove the tag
                """#),
    ]
}
