import ConfigurationModel
import ConfigurationYAML
import Health
import IPNetworks
import Testing

@Suite struct HealthSettingsTests {
    private func nodes(_ health: String, node: String = "", pool: String = "") throws -> [NodeSettings] {
        let yaml = """
            listen: ["192.0.2.53:53"]
            zones: [{origin: example.com, file: e.zone}]
            nodes:
              - {id: fra1, addresses: [192.0.2.1], location: {latitude: 50.11, longitude: 8.68}\(node)}
              - {id: nyc1, addresses: ["2001:db8::2"], location: {latitude: 40.71, longitude: -74}}
            pools: [{id: web, nodes: [fra1]\(pool)}]
            \(health)
            """
        return try ServerConfiguration.parse(yaml: yaml, file: "c", baseFolder: "/etc/nearcast").nodes
    }

    @Test("no node is checked by default")
    func none() throws {
        #expect(try nodes("").map(\.health) == [HealthRules(families: [.v4]), HealthRules(families: [.v6])])
    }

    @Test("a check asks every address of a node, and each decides its family; a named address decides the node")
    func families() throws {
        func checks(_ health: String) throws -> [Check] {
            let yaml = """
                listen: ["192.0.2.53:53"]
                zones: [{origin: example.com, file: e.zone}]
                nodes:
                  - {id: a, addresses: ["2001:db8::2", 192.0.2.1], location: {latitude: 50.11, longitude: 8.68}}
                health: {checks: [\(health)]}
                """
            return try ServerConfiguration.parse(yaml: yaml, file: "c", baseFolder: "/").nodes[0].health.checks
        }
        let both = try checks("{type: icmp}")
        #expect(both.map { "\($0)" } == ["icmp 2001:db8::2", "icmp 192.0.2.1"] && both.map(\.family) == [.v6, .v4])
        let named = try checks("{type: icmp, address: 192.0.2.1}")
        #expect(named.map { "\($0)" } == ["icmp 192.0.2.1"] && named.map(\.family) == [nil])
        let sourced = try checks("{type: icmp, source: 192.0.2.9}")
        #expect(sourced.map(\.family) == [.v4])
        #expect(try checks("{type: report}").map(\.family) == [nil])
    }

    @Test("checks with assertions and by programs are read with all of their keys")
    func further() throws {
        let found = try nodes(
            """
            health:
              checks:
                - {type: tcp, port: 853, tls: true, host: dot.example.com, send: x, expect: y}
                - {type: https, headers: ["X-Probe: a: b"], json_path: "$.checks[0].s", json_value: ok}
                - {type: dns, name: example.com, record: CNAME, answer: CDN.Example.NET}
                - {type: grpc, port: 50051, service: web, tls: true, verify: false}
                - {type: command, run: [/usr/bin/check, --fast], user: nobody}
            """)[0].health.checks.map(\.probe)
        let assertion = JSONAssertion(path: "$.checks[0].s", value: "ok")
        #expect(
            found == [
                .tcp(TCPProbe(port: 853, send: "x", expect: "y", tls: TLSRules(), host: "dot.example.com")),
                .http(
                    HTTPProbe(
                        port: 443, fields: [HTTPField(name: "X-Probe", value: "a: b")], json: assertion,
                        tls: TLSRules())),
                .dns(DNSProbe(name: "example.com", type: 5, answer: "cdn.example.net.")),
                .grpc(GRPCProbe(port: 50_051, service: "web", tls: TLSRules(verifies: false))),
                .command(CommandProbe(arguments: ["/usr/bin/check", "--fast"], user: "nobody")),
            ])
    }

    @Test(
        "a mistake in such a check is named with its remedy",
        arguments: [
            ("{type: tcp, port: 1, host: x}", "has host without TLS"),
            ("{type: http, headers: [bad]}", "write it like"),
            ("{type: http, headers: [\"Host: x\"]}", "use host"), ("{type: http, json_path: $.a}", "expected both"),
            ("{type: http, json_path: $..a, json_value: 1}", "write it like $.checks[0].status"),
            ("{type: dns, name: a.b, answer: x}", "no answer of type SOA"),
            ("{type: dns, name: a.b, record: A, answer: \"::1\"}", "no answer of type A"), ("{type: grpc}", "port"),
            ("{type: command}", "add run"), ("{type: command, run: [check]}", "absolute path"),
            ("{type: command, run: []}", "empty list"), ("{type: icmp, run: [/bin/true]}", "run"),
        ])
    func mistakes(check: String, words: String) throws {
        let error = #expect(throws: ConfigurationError.self) { try nodes("health: {checks: [\(check)]}") }
        #expect(error.map { "\($0)".contains(words) } == true, "\(error.map { "\($0)" } ?? "")")
    }

    @Test("checks of the file apply to every node, at its addresses, with the default interval")
    func global() throws {
        let found = try nodes("health: {checks: [{type: tcp, port: 443}]}")
        #expect(
            found[0].health.checks == [Check(.tcp(TCPProbe(port: 443)), target: .v4(0xc000_0201), family: .v4)])
        #expect(found[1].health.checks.map { "\($0)" } == ["tcp [2001:db8::2]:443"])
        #expect(found[0].health.slowStartMilliseconds == 60_000)
    }

    @Test("settings of a node override those of its pool, and these override the file's")
    func precedence() throws {
        let found = try nodes(
            "health: {interval: 10s, fall: 7, slow_start: 30s, checks: [{type: icmp}]}",
            node: ", health: {fall: 2}",
            pool: ", health: {rise: 4, interval: 1s, checks: [{type: http, timeout: 700ms}]}")
        let check = try #require(found[0].health.checks.first)
        #expect(check.kind == "http")
        #expect(check.intervalMilliseconds == 1_000 && check.timeoutMilliseconds == 700)
        #expect(check.fall == 2 && check.rise == 4)
        #expect(found[0].health.slowStartMilliseconds == 30_000)
        #expect(found[1].health.checks.map(\.kind) == ["icmp"])
        #expect(found[1].health.checks.map(\.fall) == [7])
    }

    @Test("a node can be excluded")
    func off() throws {
        let found = try nodes("health: {checks: [{type: icmp}]}", node: ", health: off")
        #expect(found.map(\.health.checks.count) == [0, 1])
    }

    @Test("every key of every check is read")
    func keys() throws {
        let found = try nodes(
            """
            health:
              checks:
                - {type: tcp, port: 25, send: "EHLO x\\r\\n", expect: "250", address: 10.0.0.1, source: 10.0.0.2, interval: 2s,
                   timeout: 1s, fall: 1, rise: 2}
                - {type: https, host: www.example.com, path: /x?y=1, codes: 200-399, body: ok, authorities: ca.pem}
                - {type: https, port: 8443, verify: false}
                - {type: dns, name: example.com, record: A, code: REFUSED}
                - {type: certificate, host: www.example.com, days: 14}
            """)
        let checks = found[0].health.checks
        let tcp = TCPProbe(port: 25, send: "EHLO x\r\n", expect: "250")
        #expect(
            checks.first
                == Check(
                    .tcp(tcp), target: .v4(0x0a00_0001), source: .v4(0x0a00_0002), intervalMilliseconds: 2_000,
                    timeoutMilliseconds: 1_000, fall: 1, rise: 2))
        let https = HTTPProbe(
            port: 443, path: "/x?y=1", host: "www.example.com", codes: 200...399, body: "ok",
            tls: TLSRules(authorities: "/etc/nearcast/ca.pem"))
        #expect(
            checks.dropFirst().map(\.probe) == [
                .http(https), .http(HTTPProbe(port: 8443, tls: TLSRules(verifies: false))),
                .dns(DNSProbe(name: "example.com", type: 1, responseCode: 5)),
                .certificate(CertificateProbe(host: "www.example.com", days: 14)),
            ])
    }
}
