/// Problems of strategies and of what is done when all nodes are down.
extension ProblemCase {
    static let policies: [ProblemCase] = [
        ProblemCase(
            "a misspelt strategy",
            yaml: base + #"""
                policies:
                  - {id: p, strategy: neerest}
                """#,
            reports: #"""
                4:23: strategy of policy "p" is "neerest", expected nearest, linear, quadratic, logarithmic, \#
                stepped, latency, static, weighted or failover: did you mean nearest?
                """#),
        ProblemCase(
            "a bias factor above 1",
            yaml: base + #"""
                policies:
                  - {id: p, strategy: linear, bias_factor: 1.5}
                """#,
            reports: #"""
                4:44: bias_factor of policy "p" is "1.5", expected a number from 0 to 1 with at most 3 decimals: \#
                write it like 0.8
                """#),
        ProblemCase(
            "a bias factor of four decimals",
            yaml: base + #"""
                policies:
                  - {id: p, strategy: linear, bias_factor: 0.1234}
                """#,
            reports: #"""
                4:44: bias_factor of policy "p" is "0.1234", expected a number from 0 to 1 with at most 3 decimals: \#
                write it like 0.8
                """#),
        ProblemCase(
            "keys of other strategies",
            yaml: base + #"""
                policies:
                  - {id: p, same_region: true, bias_factor: 0.5, latency: l.csv}
                  - {id: q, strategy: static, tolerance: {percent: 5}}
                """#,
            reports: #"""
                4:13: same_region of policy "p" belongs to strategy linear, quadratic, logarithmic or stepped, but \#
                the strategy is nearest: remove it
                4:32: bias_factor of policy "p" belongs to strategy linear, quadratic, logarithmic or stepped, but \#
                the strategy is nearest: remove it
                4:50: latency of policy "p" belongs to strategy latency, but the strategy is nearest: remove it
                5:31: tolerance of policy "q" belongs to strategy nearest, linear, quadratic, logarithmic, stepped, \#
                latency or failover, but the strategy is static: remove it
                """#),
        ProblemCase(
            "strategy latency without times",
            yaml: base + #"""
                policies:
                  - {id: p, strategy: latency}
                """#,
            reports: #"""
                4:5: latency of policy "p" is missing: add latency: latency.csv
                """#),
        ProblemCase(
            "kilometres where scores are compared",
            yaml: base + #"""
                policies:
                  - {id: p, strategy: stepped, tolerance: {kilometres: 5}}
                """#,
            reports: #"""
                4:56: tolerance.kilometres of policy "p" is 5, but strategy stepped does not rank by kilometres: \#
                use percent
                """#),
        ProblemCase(
            "a maximum distance beyond the globe",
            yaml: base + #"""
                policies:
                  - {id: p, maximum_distance: 20039}
                """#,
            reports: #"""
                4:31: maximum_distance of policy "p" is "20039", expected a whole number from 1 to 20038 \#
                kilometres: change it
                """#),
        ProblemCase(
            "an unknown way to weigh",
            yaml: base + #"""
                policies:
                  - {id: p, weigh_by: capacities}
                """#,
            reports: #"""
                4:23: weigh_by of policy "p" is "capacities", expected weight or capacity: did you mean capacity?
                """#),
        ProblemCase(
            "a fallback to an unknown pool",
            yaml: base + #"""
                policies:
                  - {id: p, when_all_down: {fallback: other}}
                """#,
            reports: #"""
                4:39: policy "p" names pool "other", which is not among pools (none is configured): add it under \#
                pools or correct the spelling
                """#),
        ProblemCase(
            "a fallback and addresses",
            yaml: base + twoNodes + #"""
                pools: [{id: web, nodes: [fra1]}]
                policies:
                  - {id: p, when_all_down: {fallback: web, addresses: [192.0.2.1]}}
                """#,
            reports: #"""
                8:28: when_all_down of policy "p" is both, expected open, refuse, {fallback: POOL} or {addresses: \#
                [ADDRESS]}: write one of them
                """#),
        ProblemCase(
            "a fallback address that is none",
            yaml: base + #"""
                policies:
                  - {id: p, when_all_down: {addresses: [sorry]}}
                """#,
            reports: #"""
                4:41: when_all_down.addresses of policy "p" has the address "sorry", expected an IPv4 or IPv6 \#
                address: write it like 198.51.100.10 or "2001:db8:10::1"
                """#),
        ProblemCase(
            "fallback addresses where no server is",
            yaml: base + #"""
                policies:
                  - {id: p, when_all_down: {addresses: [192.0.2.9, 0.0.0.0]}}
                  - {id: q, when_all_down: {addresses: [127.0.0.1]}}
                  - {id: r, when_all_down: {addresses: ["ff02::1"]}}
                  - {id: s, when_all_down: {addresses: ["::1"]}}
                  - {id: t, when_all_down: {addresses: [224.0.0.251]}}
                """#,
            reports: #"""
                4:52: when_all_down.addresses of policy "p" has 0.0.0.0, which identifies no host, expected an address \#
                at which clients can reach a server: correct it
                5:41: when_all_down.addresses of policy "q" has 127.0.0.1, which is a loopback address, \#
                expected an address at which clients can reach a server: correct it
                6:41: when_all_down.addresses of policy "r" has ff02::1, which is multicast, expected an address at \#
                which clients can reach a server: correct it
                7:41: when_all_down.addresses of policy "s" has ::1, which is a loopback address, expected an \#
                address at which clients can reach a server: correct it
                8:41: when_all_down.addresses of policy "t" has 224.0.0.251, which is multicast, expected an address \#
                at which clients can reach a server: correct it
                """#),
        ProblemCase(
            "a fallback address twice",
            yaml: base + #"""
                policies:
                  - {id: p, when_all_down: {addresses: [192.0.2.9, 192.0.2.9]}}
                """#,
            reports: #"""
                4:52: when_all_down.addresses of policy "p" has 192.0.2.9 twice: remove one
                """#),
    ]
}
