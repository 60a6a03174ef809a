import Fixtures
import Foundation
import Glibc
import Health
import HealthChecks
import IPNetworks
import Testing

@Suite("Checks with assertions, and by programs") struct FurtherProbeTests {
    // MARK: - HTTP

    @Test(
        "a body of JSON must hold the value at the path",
        arguments: [
            (#"{"status": "ok", "checks": [{"n": 1}, {"n": 2.50, "up": true}]}"#, "$.status", "ok", true),
            (#"{"status": "ok"}"#, "$.status", "bad", false), (#"{"a": {"b c": null}}"#, "$.a['b c']", "null", true),
            (#"{"checks": [{"n": 1}, {"n": 2.5}]}"#, "$.checks[1].n", "2.5", true),
            (#"{"checks": [{"n": 1}, {"up": true}]}"#, "$.checks[-1].up", "true", true),
            (#"{"checks": []}"#, "$.checks[0]", "1", false), ("ok", "$", "ok", false), (#""ok""#, "$", "ok", true),
            (#"{"status": {"ok": 1}}"#, "$.status", "ok", false),
        ])
    func json(body: String, path: String, value: String, passes: Bool) async throws {
        let server = try TestServer { _ in TestServer.http("200 OK", body) }
        let assertion = try #require(JSONAssertion(path: path, value: value))
        let outcome = try await outcome(of: .http(HTTPProbe(port: server.port, json: assertion)))
        #expect(outcome.result == (passes ? .passed : .failed), "\(outcome)")
    }

    @Test("a path names members and indices only", arguments: ["status", "$.", "$..a", "$[*]", "$['a", "$[1", "$a"])
    func badPaths(path: String) {
        #expect(JSONAssertion(path: path, value: "1") == nil)
    }

    @Test("fields are sent with the request, with and without a body to read", arguments: ["", "yes"])
    func fields(body: String) async throws {
        let server = try TestServer { request in
            let isThere = String(decoding: request, as: UTF8.self).contains("\r\nX-Probe: a: b\r\n")
            return TestServer.http(isThere ? "200 OK" : "400 Bad", "yes")
        }
        let probe = HTTPProbe(port: server.port, body: body, fields: [HTTPField(name: "X-Probe", value: "a: b")])
        #expect(try await outcome(of: .http(probe)).result == .passed)
    }

    // MARK: - TCP over TLS

    @Test("text is exchanged over TLS, and the certificate is verified")
    func tls() async throws {
        let files = try CertificateFiles("node.example.com")
        let server = try TLSServer(files)
        func probe(_ expect: String, host: String?, _ rules: TLSRules) -> Check.Probe {
            .tcp(TCPProbe(port: server.port, send: "GET / HTTP/1.0\r\n\r\n", expect: expect, tls: rules, host: host))
        }
        let trust = TLSRules(authorities: files.certificate)
        #expect(try await outcome(of: probe("200 ok", host: "node.example.com", trust)).result == .passed)
        let missing = try await outcome(of: probe("never said", host: "node.example.com", trust))
        #expect(missing.result == .failed && missing.evidence == "the connection was closed")
        let other = try await outcome(of: probe("200 ok", host: "other.example.com", trust))
        #expect(other.result == .failed && other.evidence.hasPrefix("TLS: "), "\(other)")
        let plain = TCPProbe(port: server.port, tls: TLSRules(verifies: false))
        #expect(try await outcome(of: .tcp(plain)).evidence == "connected with TLS")
    }

    // MARK: - DNS

    /// A reply with one record of the query's name.
    private static func reply(_ query: [UInt8], type: UInt8, _ data: [UInt8]) -> [UInt8] {
        var reply = query
        (reply[2], reply[7]) = (0x84, 1)
        return reply + [0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, UInt8(data.count)] + data
    }

    @Test(
        "some record of the answer must be the expected one",
        arguments: [
            (UInt8(1), [192, 0, 2, 7], "192.0.2.7", true), (1, [192, 0, 2, 8], "192.0.2.7", false),
            (28, [0x20, 1, 0x0d, 0xb8] + Array(repeating: 0, count: 11) + [1], "2001:db8::1", true),
            (16, [2, 0x6f, 0x6b, 1, 0x21], "ok!", true), (16, [9, 0x6f], "o", false),
            // A name that ends with a pointer to the question, and one that points to itself.
            (5, [3, 0x63, 0x64, 0x6e, 0xc0, 12], "cdn.www.example.com.", true),
            (5, [0xc0, 45], "www.example.com.", false),
            (1, [], "192.0.2.7", false),
        ] as [(UInt8, [UInt8], String, Bool)])
    func dns(type: UInt8, data: [UInt8], answer: String, passes: Bool) async throws {
        let server = try UDPResponder { Self.reply($0, type: type, data) }
        let probe = DNSProbe(port: server.port, name: "www.example.com", type: UInt16(type), answer: answer)
        let outcome = try await outcome(of: .dns(probe))
        #expect(outcome.result == (passes ? .passed : .failed), "\(outcome)")
    }

    // MARK: - gRPC

    @Test("a server that speaks no HTTP/2 fails")
    func grpc() async throws {
        let server = try TestServer { _ in TestServer.http("400 Bad Request", "no") }
        let outcome = try await outcome(of: .grpc(GRPCProbe(port: server.port)))
        #expect(outcome.result == .failed, "\(outcome)")
        #expect(try await Self.refused().result == .refused)
    }

    private static func refused() async throws -> ProbeOutcome {
        try await outcome(of: .grpc(GRPCProbe(port: try closedPort())))
    }

    // MARK: - Programs

    private func run(_ script: String, user: String? = nil, timeout: Int64 = 10_000) async throws -> ProbeOutcome {
        let command = CommandProbe(arguments: ["/bin/sh", "-c", script], user: user)
        return try await outcome(of: .command(command), timeout: timeout)
    }

    @Test(
        "a program passes by its exit status, or by what it says in JSON",
        arguments: [
            ("echo fine; echo more", CheckResult.passed, "exit status 0: fine"), ("exit 3", .failed, "exit status 3"),
            ("echo bad disk >&2; exit 1", .failed, "exit status 1: bad disk"),
            (#"echo '{"passed": true, "evidence": "lag 3 s"}'"#, .passed, "lag 3 s"),
            (#"echo '{"passed": false}'"#, .failed, "passed is false"),
            (#"echo '{"passed": 1'"#, .failed, "its output begins with { and is not JSON with passed and evidence"),
            ("kill -9 $$", .failed, "ended by a signal"),
            ("head -c 20000 /dev/zero", .failed, "ended by a signal: more"),
            ("echo $NEARCAST_ADDRESS $HOME", .passed, "exit status 0: 127.0.0.1"),
        ])
    func command(script: String, result: CheckResult, evidence: String) async throws {
        let outcome = try await run(script)
        #expect(outcome.result == result && outcome.evidence.hasPrefix(evidence), "\(outcome)")
    }

    @Test("a program that cannot be run says nothing about the node")
    func notRun() async throws {
        for command in [
            CommandProbe(arguments: ["/nowhere/check"]),
            CommandProbe(arguments: ["/bin/true"], user: "no-such-account"),
        ] {
            let check = Check(
                .command(command), target: .v4(0x7f00_0001), intervalMilliseconds: 100, timeoutMilliseconds: 5_000)
            let found = try await withProber(["node": [check]]) { _, results in try await results.first(1)[0].outcome }
            #expect(found.result == .unasked && found.evidence.hasPrefix("cannot run /"), "\(found)")
        }
    }

    @Test("a program that is late is ended, with what it has started")
    func late() async throws {
        let mark = "3\(getpid())7"
        let late = try await run("sleep \(mark) & sleep \(mark)", timeout: 300)
        #expect(late.result == .failed && late.evidence == "no answer within 300 ms")
        for _ in 0..<500 {
            guard (try? Fixtures.run(["pgrep", "-f", "sleep \(mark)"]).isEmpty) == false else { return }
            try await Task.sleep(for: .milliseconds(10))
        }
        Issue.record("the program's children still run")
    }

    @Test("a program runs as the account that is named", .enabled(if: geteuid() == 0))
    func account() async throws {
        #expect(try await run("id -un; id -Gn", user: "nobody").evidence == "exit status 0: nobody")
    }
}
