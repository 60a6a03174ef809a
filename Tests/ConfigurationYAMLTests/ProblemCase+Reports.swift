/// Problems of reports and observers.
extension ProblemCase {
    static let reports: [ProblemCase] = [
        ProblemCase(
            "a listener without what it needs, and what is of no use without one",
            yaml: base + #"health: {reports: {listen: ["192.0.2.53:8453"]}}"#,
            reports: #"""
                3:19: health.reports.tokens is missing: add tokens: /etc/nearcast/tokens
                3:19: health.reports.certificate is missing: add certificate: /etc/nearcast/certificate.pem
                3:19: health.reports.key is missing: add key: /etc/nearcast/key.pem
                """#),
        ProblemCase(
            "tokens that nobody can send",
            yaml: base + "health: {reports: {tokens: t, missing_after: 2h}}",
            reports: #"""
                3:28: health.reports.tokens is given without health.reports.listen, which uses it: add listen: ["192.0.2.53:8453"], or remove it
                3:46: health.reports.missing_after is "2h", expected a duration from 1s to 1h: change it
                """#),
        ProblemCase(
            "a certificate of a listener without TLS",
            yaml: base + #"health: {reports: {listen: ["192.0.2.53:8453"], tokens: t, plain: true, key: k}}"#,
            reports: #"""
                3:78: health.reports.key and health.reports.plain are both given, expected one: remove one
                """#),
        ProblemCase(
            "two checks of type report, and one that asks",
            yaml: base + twoNodes
                + "health: {checks: [{type: report}, {type: report, fall: 2}, {type: report, port: 1}]}",
            reports: #"""
                6:35: there are two checks of type report for one node, expected one: remove one of them
                6:75: unknown key "port" in check 3, expected type, missing_after, fall or rise: remove it or correct the spelling
                """#),
        ProblemCase(
            "observers that are none, or twice",
            yaml: base + "health: {observers: [ams, ams, own, a b]}",
            reports: #"""
                3:27: health.observers has ams twice, expected each once: remove one
                3:32: health.observers has "own", expected 1 to 63 letters, digits, dots, hyphens or underscores, other than own: correct it
                3:37: health.observers has "a b", expected 1 to 63 letters, digits, dots, hyphens or underscores, other than own: correct it
                """#),
        ProblemCase(
            "redirects that are too many, and hosts without redirects",
            yaml: base + "health: {checks: [{type: http, redirects: 11}, {type: http, redirect_hosts: any}]}",
            reports: #"""
                3:43: redirects of check 1 is "11", expected a whole number from 0 to 10: change it
                3:77: redirect_hosts of check 2 is given without redirects, so no redirect is followed: add redirects: 3
                """#),
    ]
}
