/// Problems of pools that are made of pools, and of what members have.
extension ProblemCase {
    static let pools: [ProblemCase] = [
        ProblemCase(
            "an overlay address too many",
            yaml: base + #"""
                nodes:
                  - {id: a, addresses: [192.0.2.1], overlay: [10.0.0.1, 10.0.0.2], location: {latitude: 1, \#
                longitude: 1}}
                """#,
            reports: #"""
                4:57: node "a" has a second overlay IPv4 address, 10.0.0.2, expected at most one IPv4 and one IPv6 \#
                address: define one node per address
                """#),
        ProblemCase(
            "a pool of itself",
            yaml: base + twoNodes + #"""
                pools: [{id: a, pools: [b]}, {id: b, pools: [c, d]}, {id: c, pools: [a]}, {id: d, nodes: [fra1]}]
                """#,
            reports: #"""
                6:70: pool "a" contains itself (a > b > c > a): remove one of these from the other
                """#),
        ProblemCase(
            "a pool of an unknown pool",
            yaml: base + twoNodes + #"""
                pools: [{id: a, pools: [b]}]
                """#,
            reports: #"""
                6:25: pool "a" names pool "b", which is not among pools (a): add it under pools or correct the \#
                spelling
                """#),
        ProblemCase(
            "a pool with nodes and pools",
            yaml: base + twoNodes + #"""
                pools: [{id: a, nodes: [fra1]}, {id: b, nodes: [nyc1], pools: [a]}]
                """#,
            reports: #"""
                6:41: pool "b" has nodes and pools, expected one of them: make the nodes a pool of their own
                """#),
        ProblemCase(
            "a pool with a pool twice",
            yaml: base + twoNodes + #"""
                pools: [{id: a, nodes: [fra1]}, {id: b, pools: [a, a]}]
                """#,
            reports: #"""
                6:52: pool "b" has pool "a" twice, first at line 6: remove one
                """#),
        ProblemCase(
            "a minimum that a pool never has",
            yaml: base + twoNodes + #"""
                pools: [{id: a, nodes: [fra1]}, {id: b, pools: [a], minimum: 2}]
                """#,
            reports: #"""
                6:62: minimum of pool "b" is 2, but pool "a" has 1 of its own, expected at most that many: lower it
                """#),
        ProblemCase(
            "a bias of 100",
            yaml: base + twoNodes + #"""
                pools: [{id: a, nodes: [{id: fra1, bias: 100}]}]
                """#,
            reports: #"""
                6:42: bias of node "fra1" in pool "a" is "100", expected a whole number from -99 to 99: change it
                """#),
        ProblemCase(
            "a capacity of 0",
            yaml: base + twoNodes + #"""
                pools: [{id: a, nodes: [{id: fra1, capacity: 0}]}]
                """#,
            reports: #"""
                6:46: capacity of node "fra1" in pool "a" is "0", expected a whole number from 1 to 65535: change it
                """#),
    ]
}
