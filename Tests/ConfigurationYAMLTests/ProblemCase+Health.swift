/// Problems of health.
extension ProblemCase {
    static let health: [ProblemCase] = [
        ProblemCase(
            "an unknown key, and values outside their ranges",
            yaml: base + "health: {intervall: 5s, timeout: 5, fall: 0, rise: many, slow_start: 2h}",
            reports: #"""
                3:10: unknown key "intervall" in health, expected interval, timeout, fall, rise, slow_start, checks, load, brake, reports, observers or hooks: did you mean interval?
                3:34: health.timeout is "5", expected a duration from 10ms to 1m: write 5s for seconds
                3:43: health.fall is "0", expected a whole number from 1 to 100: change it
                3:52: health.rise is "many", expected a whole number from 1 to 100: change it
                3:70: health.slow_start is "2h", expected a duration from 0s to 1h: change it
                """#),
        ProblemCase(
            "checks without a type, of an unknown one, and with another's keys",
            yaml: base + "health: {checks: [{port: 80}, {type: tpc}, {type: icmp, port: 80}]}",
            reports: #"""
                3:19: type of check 1 is missing: add type: tcp
                3:38: type of check 2 is "tpc", expected tcp, http, https, dns, icmp, certificate, grpc, command or report: did you mean tcp?
                3:57: unknown key "port" in check 3, expected type, address, source, interval, timeout, fall or rise: remove it or correct the spelling
                """#),
        ProblemCase(
            "what a check needs is missing",
            yaml: base + "health: {checks: [{type: tcp}, {type: dns}]}",
            reports: #"""
                3:19: port of check 1 is missing: add port: 443
                3:32: name of check 2 is missing: add name: example.com
                """#),
        ProblemCase(
            "codes, a path, a record type and a response code that are none",
            yaml: base
                + "health: {checks: [{type: http, codes: 399-200}, {type: http, path: x}, "
                + "{type: dns, name: a, record: AAAAA, code: OK}]}",
            reports: #"""
                3:39: codes of check 1 is "399-200", expected a status code or a range of them, from 100 to 599: write it like 200-399
                3:68: path of check 2 is "x", expected ASCII without spaces that begins with a slash: correct it
                3:101: record of check 3 is "AAAAA", expected a record type: write it like A
                3:114: code of check 3 is "OK", expected NOERROR, FORMERR, SERVFAIL, NXDOMAIN, NOTIMP or REFUSED: use NOERROR, FORMERR, SERVFAIL, NXDOMAIN, NOTIMP or REFUSED
                """#),
        ProblemCase(
            "texts that are none: a check would pass whatever comes back",
            yaml: base
                + #"health: {checks: [{type: http, body: [x]}, {type: tcp, port: 1, expect: ""}, {type: certificate, host: "a b"}]}"#,
            reports: #"""
                3:38: body of check 1 is a list, expected text: write a single value
                3:73: expect of check 2 is empty, which matches everything: set a text, or remove it
                3:104: host of check 3 is "a b", expected ASCII without spaces: correct it
                """#),
        ProblemCase(
            "a timeout that is not shorter than the interval of the node that it is for",
            yaml: base + twoNodes.replacing("8.68}}\n", with: "8.68}, health: {interval: 1s}}\n", maxReplacements: 1)
                + "health: {timeout: 1s, checks: [{type: icmp}]}",
            reports: #"""
                6:32: a check of node "fra1" has a timeout of 1000 ms and an interval of 1000 ms, expected the timeout to be shorter: change one of them
                """#),
        ProblemCase(
            "a source of another family, told once for all nodes",
            yaml: base + twoNodes + #"health: {checks: [{type: icmp, source: "::1", address: 192.0.2.9}]}"#,
            reports: #"""
                6:19: a check of node "fra1" probes 192.0.2.9 from ::1, expected addresses of one family: add an address of the source's family to the check
                """#),
        ProblemCase(
            "two pools that both say how a node is checked",
            yaml: base + twoNodes
                + "pools: [{id: a, nodes: [fra1], health: {fall: 2}}, {id: b, nodes: [fra1, nyc1], health: {fall: 3}}]",
            reports: #"""
                6:89: pools "a" and "b" both have health for node "fra1", expected one of them: give the node its own health
                """#),
        ProblemCase(
            "a brake of more than all",
            yaml: base + "health: {brake: {percent: 101, hold: 0s}}",
            reports: #"""
                3:27: health.brake.percent is "101", expected a whole number from 1 to 100 percent: change it
                3:38: health.brake.hold is "0s", expected a duration from 1s to 1h: change it
                """#),
    ]
}
