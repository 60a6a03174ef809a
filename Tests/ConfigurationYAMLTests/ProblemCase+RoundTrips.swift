/// Problems of `rtt`, and of the files of strategy `latency`.
extension ProblemCase {
    static let roundTrips: [ProblemCase] = [
        ProblemCase(
            "rtt without a node and ports",
            yaml: base + "rtt: {}",
            reports: #"""
                3:6: rtt.node is missing: add node: fra1, the node that this machine is
                3:6: rtt.ports is missing: add ports: [443]
                """#),
        ProblemCase(
            "a node that is none, an unknown key, and values outside their ranges",
            yaml: base + twoNodes
                + "rtt: {node: fra2, port: 443, ports: [0], minimum_samples: 0, margin: 2000, every: 10ms}",
            reports: #"""
                6:13: rtt names node "fra2", which is not among nodes (fra1, nyc1): add it under nodes or correct the spelling
                6:19: unknown key "port" in rtt, expected node, ports, file, minimum_samples, margin or every: did you mean ports?
                6:38: an entry of rtt.ports is "0", expected a whole number from 1 to 65535: change it
                6:59: rtt.minimum_samples is "0", expected a whole number from 1 to 1000000: change it
                6:70: rtt.margin is "2000", expected a whole number from 0 to 1000 percent: change it
                6:83: rtt.every is "10ms", expected a duration from 1s to 1d: change it
                """#),
        ProblemCase(
            "learned times would be written over a zone",
            yaml: base + twoNodes + "rtt: {node: fra1, ports: [443], file: e.zone}",
            reports: #"""
                6:39: rtt.file is "/etc/nearcast/e.zone", which this configuration also reads for another purpose, expected a file of its own: name another, or leave it out
                """#),
        ProblemCase(
            "a port twice",
            yaml: base + twoNodes + "rtt: {node: fra1, ports: [443, 443]}",
            reports: #"""
                6:32: rtt.ports has 443 twice: remove one
                """#),
        ProblemCase(
            "more ports than fit",
            yaml: base + twoNodes
                + "rtt: {node: fra1, ports: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17]}",
            reports: #"""
                6:82: rtt.ports has 17 ports, expected at most 16: remove some
                """#),
        ProblemCase(
            "a latency file twice, and a list without any",
            yaml: base
                + "policies: [{id: a, strategy: latency, latency: [x.csv, ./x.csv]}, {id: b, strategy: latency, latency: []}]",
            reports: #"""
                3:56: latency of policy "a" has "./x.csv" twice: remove one
                3:103: latency of policy "b" is an empty list, expected at least one file: write latency: [latency.csv]
                """#),
    ]
}
