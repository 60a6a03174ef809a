/// Problems of tcp and tls.
extension ProblemCase {
    static let transports: [ProblemCase] = [
        ProblemCase(
            "a duration without a unit",
            yaml: base + "tcp: {idle: 10}",
            reports: "3:13: tcp.idle is \"10\", expected a duration from 100ms to 10m: write 10s for seconds"),
        ProblemCase(
            "a duration with an unknown unit",
            yaml: base + "tcp: {idle: 1w}",
            reports:
                #"3:13: tcp.idle is "1w", expected a duration from 100ms to 10m: write it like 500ms, 10s, 5m, 24h "#
                + "or 7d"),
        ProblemCase(
            "a duration that is too long, too short or beyond all numbers",
            yaml: base + "tcp: {idle: 11m}",
            reports: "3:13: tcp.idle is \"11m\", expected a duration from 100ms to 10m: change it"),
        ProblemCase(
            "a duration of nothing",
            yaml: base + "tcp: {idle: 0s}",
            reports: "3:13: tcp.idle is \"0s\", expected a duration from 100ms to 10m: change it"),
        ProblemCase(
            "a duration that overflows",
            yaml: base + "tcp: {idle: 9223372036854775807m}",
            reports: "3:13: tcp.idle is \"9223372036854775807m\", expected a duration from 100ms to 10m: change it"),
        ProblemCase(
            "limits outside their ranges",
            yaml: base + "tcp: {connections: 0, per_client: -1, queries: many}",
            reports: #"""
                3:20: tcp.connections is "0", expected a whole number from 1 to 1000000: change it
                3:35: tcp.per_client is "-1", expected a whole number from 1 to 1000000: change it
                3:48: tcp.queries is "many", expected a whole number from 0 to 1000000: change it
                """#),
        ProblemCase(
            "an unknown key of tcp",
            yaml: base + "tcp: {idel: 10s}",
            reports: #"""
                3:7: unknown key "idel" in tcp, expected idle, connections, per_client or queries: did you mean idle?
                """#),
        ProblemCase(
            "tls without anything",
            yaml: base + "tls: {}",
            reports: #"""
                3:6: tls.listen is missing: add listen: ["192.0.2.53", "[2001:db8::53]:853"]
                3:6: tls.certificate is missing: add certificate: /etc/nearcast/certificate.pem
                3:6: tls.key is missing: add key: /etc/nearcast/key.pem
                """#),
        ProblemCase(
            "an endpoint of tls that is none, and one that listen has",
            yaml: base + #"tls: {listen: ["192.0.2.53:53", "192.0.2.53:x"], certificate: c, key: k}"#,
            reports: #"""
                3:16: tls.listen has 192.0.2.53:53, which listen has too, expected another port: leave the port out for 853
                3:33: tls.listen has "192.0.2.53:x", expected a port from 1 to 65535: correct the port
                """#),
    ]
}
