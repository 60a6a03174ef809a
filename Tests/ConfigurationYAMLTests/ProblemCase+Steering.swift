/// Problems of pools and policies.
extension ProblemCase {
    static let steering: [ProblemCase] = [
        ProblemCase(
            "a pool with an unknown node",
            yaml: base + twoNodes + #"""
                pools:
                  - id: web
                    nodes: [fra1, fra2]
                """#,
            reports: #"""
                8:19: pool "web" names node "fra2", which is not among nodes (fra1, nyc1): add it under nodes or \#
                correct the spelling
                """#),
        ProblemCase(
            "a pool without nodes in the file",
            yaml: base + pool,
            reports: #"""
                3:27: pool "web" names node "fra1", which is not among nodes (none is configured): add it under \#
                nodes or correct the spelling
                """#),
        ProblemCase(
            "a pool with an empty list",
            yaml: base + twoNodes + #"pools: [{id: web, nodes: []}]"#,
            reports: #"""
                6:26: nodes of pool "web" is an empty list, expected at least one node: write nodes: [fra1, nyc1]
                """#),
        ProblemCase(
            "a pool with a node twice",
            yaml: base + twoNodes + #"pools: [{id: web, nodes: [fra1, {id: fra1, weight: 2}]}]"#,
            reports: #"""
                6:38: pool "web" has node "fra1" twice, first at line 6: remove one, and use weight to give it a \#
                larger share
                """#),
        ProblemCase(
            "a pool twice",
            yaml: base + twoNodes + #"pools: [{id: web, nodes: [fra1]}, {id: web, nodes: [nyc1]}]"#,
            reports: #"""
                6:40: pool "web" is defined twice, first at line 6: remove or rename one
                """#),
        ProblemCase(
            "a weight of 0",
            yaml: base + twoNodes + #"pools: [{id: web, nodes: [{id: fra1, weight: 0}]}]"#,
            reports: #"""
                6:46: weight of node "fra1" in pool "web" is "0", expected a whole number from 1 to 65535: change it
                """#),
        ProblemCase(
            "a weight above the limit",
            yaml: base + twoNodes + #"pools: [{id: web, nodes: [{id: fra1, weight: 65536}]}]"#,
            reports: #"""
                6:46: weight of node "fra1" in pool "web" is "65536", expected a whole number from 1 to 65535: \#
                change it
                """#),
        ProblemCase(
            "a weight with a fraction",
            yaml: base + twoNodes + #"pools: [{id: web, nodes: [{id: fra1, weight: 1.5}]}]"#,
            reports: #"""
                6:46: weight of node "fra1" in pool "web" is "1.5", expected a whole number from 1 to 65535: change it
                """#),
        ProblemCase(
            "a member without an id",
            yaml: base + twoNodes + #"pools: [{id: web, nodes: [{weight: 2}]}]"#,
            reports: #"""
                6:27: id of an entry of nodes of pool "web" is missing: add id: fra1
                """#),
        ProblemCase(
            "a policy twice",
            yaml: base + #"policies: [{id: p}, {id: p}]"#,
            reports: #"""
                3:26: policy "p" is defined twice, first at line 3: remove or rename one
                """#),
        ProblemCase(
            "an unknown strategy",
            yaml: base + #"""
                policies:
                  - {id: p, strategy: fastest}
                """#,
            reports: #"""
                4:23: strategy of policy "p" is "fastest", expected nearest, linear, quadratic, logarithmic, \#
                stepped, latency, static, weighted or failover: use nearest, linear, quadratic, logarithmic, stepped, \#
                latency, static, weighted or failover
                """#),
        ProblemCase(
            "no answers",
            yaml: base + #"""
                policies:
                  - {id: p, answers: 0}
                """#,
            reports: #"""
                4:22: answers of policy "p" is "0", expected a whole number from 1 to 8: change it
                """#),
        ProblemCase(
            "nine answers",
            yaml: base + #"""
                policies:
                  - {id: p, answers: 9}
                """#,
            reports: #"""
                4:22: answers of policy "p" is "9", expected a whole number from 1 to 8: change it
                """#),
        ProblemCase(
            "answers as a word",
            yaml: base + #"""
                policies:
                  - {id: p, answers: two}
                """#,
            reports: #"""
                4:22: answers of policy "p" is "two", expected a whole number from 1 to 8: change it
                """#),
        ProblemCase(
            "answers in quotes",
            yaml: base + #"""
                policies:
                  - {id: p, answers: "2"}
                """#,
            reports: #"""
                4:22: answers of policy "p" is the text "2", expected a whole number from 1 to 8: remove the quotes
                """#),
        ProblemCase(
            "a ttl that is a number",
            yaml: base + #"""
                policies:
                  - {id: p, ttl: 60}
                """#,
            reports: #"""
                4:18: ttl of policy "p" is "60", expected a mapping: write it as {min: …, max: …}
                """#),
        ProblemCase(
            "a ttl of 0",
            yaml: base + #"""
                policies:
                  - {id: p, ttl: {min: 0, max: 60}}
                """#,
            reports: #"""
                4:24: ttl.min of policy "p" is "0", expected a whole number from 1 to 2147483647 seconds: change it
                """#),
        ProblemCase(
            "a ttl above 2^31 - 1",
            yaml: base + #"""
                policies:
                  - {id: p, ttl: {max: 2147483648}}
                """#,
            reports: #"""
                4:24: ttl.max of policy "p" is "2147483648", expected a whole number from 1 to 2147483647 seconds: \#
                change it
                """#),
        ProblemCase(
            "a ttl beyond 64 bits",
            yaml: base + #"""
                policies:
                  - {id: p, ttl: {max: 99999999999999999999}}
                """#,
            reports: #"""
                4:24: ttl.max of policy "p" is "99999999999999999999", expected a whole number from 1 to \#
                2147483647 seconds: change it
                """#),
        ProblemCase(
            "a smallest ttl above the largest",
            yaml: base + #"""
                policies:
                  - {id: p, ttl: {min: 90, max: 60}}
                """#,
            reports: #"""
                4:24: ttl.min of policy "p" is 90 and max is 60, expected min not above max: change one of them
                """#),
        ProblemCase(
            "a smallest ttl above the default largest",
            yaml: base + #"""
                policies:
                  - {id: p, ttl: {min: 90}}
                """#,
            reports: #"""
                4:24: ttl.min of policy "p" is 90 and max is 60 (the default), expected min not above max: change \#
                one of them
                """#),
        ProblemCase(
            "a tolerance above 100 %",
            yaml: base + #"""
                policies:
                  - {id: p, tolerance: {percent: 101}}
                """#,
            reports: #"""
                4:34: tolerance.percent of policy "p" is "101", expected a whole number from 0 to 100: change it
                """#),
        ProblemCase(
            "both tolerances",
            yaml: base + #"""
                policies:
                  - {id: p, tolerance: {percent: 5, kilometres: 100}}
                """#,
            reports: #"""
                4:24: tolerance of policy "p" sets both percent and kilometres, expected one of them: remove the other
                """#),
        ProblemCase(
            "ecs as yes",
            yaml: base + #"""
                policies:
                  - {id: p, ecs: yes}
                """#,
            reports: #"""
                4:18: ecs of policy "p" is "yes", expected true or false: write one of them
                """#),
        ProblemCase(
            "an unknown rule for when all are down",
            yaml: base + #"""
                policies:
                  - {id: p, when_all_down: fallback}
                """#,
            reports: #"""
                4:28: when_all_down of policy "p" is "fallback", expected open, refuse, {fallback: POOL} or \#
                {addresses: [ADDRESS]}: write one of them
                """#),
    ]
}
