import Fixtures
import Health
import HealthChecks
import Testing

@Suite struct ProbeTests {
    @Test("an open port passes, a closed one is refused, and a silent one times out")
    func tcp() async throws {
        let silent = try TestServer { _ in nil }
        #expect(try await outcome(of: .tcp(TCPProbe(port: silent.port))).result == .passed)
        let refused = try await outcome(of: .tcp(TCPProbe(port: try closedPort())))
        #expect(refused.result == .refused && refused.evidence == "connection refused")
        let waiting = TCPProbe(port: silent.port, send: "PING\r\n", expect: "PONG")
        let late = try await outcome(of: .tcp(waiting), timeout: 200)
        #expect(late.result == .failed && late.evidence == "no answer within 200 ms")
    }

    @Test(
        "a response must contain the expected text",
        arguments: [
            ("+PONG\r\n", CheckResult.passed), ("+PO", .failed), ("", .failed),
            (String(repeating: "x", count: 1 << 20) + "PONG", .failed),
        ])
    func expectation(answer: String, result: CheckResult) async throws {
        let server = try TestServer { $0.starts(with: Array("PING\r\n".utf8)) ? Array(answer.utf8) : [] }
        let probe = TCPProbe(port: server.port, send: "PING\r\n", expect: "PONG")
        #expect(try await outcome(of: .tcp(probe)).result == result)
    }

    @Test(
        "a response is judged by its status and its body",
        arguments: [
            (TestServer.http("200 OK", "all is well"), CheckResult.passed, "status 200, body as expected"),
            (TestServer.http("204 No Content"), .failed, "status 204, expected text not in the body"),
            (TestServer.http("503 Busy", "well"), .failed, "status 503"),
            (TestServer.http("302 Found", "well"), .failed, "status 302"),
            (
                Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nwe\r\n2\r\nll\r\n0\r\n\r\n".utf8),
                .passed,
                "status 200, body as expected"
            ),
            (Array("SSH-2.0-OpenSSH_9\r\n".utf8), .failed, nil),
        ] as [([UInt8], CheckResult, String?)])
    func http(answer: [UInt8], result: CheckResult, evidence: String?) async throws {
        let server = try TestServer { _ in answer }
        let seen = try await outcome(of: .http(HTTPProbe(port: server.port, body: "well")))
        #expect(seen.result == result)
        if let evidence { #expect(seen.evidence == evidence) }
    }

    @Test(
        "without an expected body the status of a whole head is enough",
        arguments: [
            ("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n", CheckResult.passed, "status 200"),
            ("HTTP/1.0 200\n\n", .passed, "status 200"),
            (
                "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nLink: x\r\n\r\nHTTP/1.1 204 No\r\n\r\n", .passed,
                "status 204"
            ),
            ("HTTP/1.1 101 Switching Protocols\r\n\r\n", .failed, "status 101"),
            ("HTTP/1.1 503 Busy\r\n\r\n", .failed, "status 503"),
            ("HTTP/1.1 302 Found\r\nLocation: /\r\n\r\n", .failed, "status 302"),
            ("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n", .failed, "the connection was closed"),
            ("HTTP/2.0 200 OK\r\n\r\n", .failed, "the answer is not HTTP/1"),
            ("SSH-2.0-OpenSSH_9\r\n", .failed, "the answer is not HTTP/1"),
            ("HTTP/1.1 20", .failed, "the connection was closed"),
            (
                "HTTP/1.1 200 OK\r\n" + String(repeating: "X: y\r\n", count: 20_000), .failed,
                "the response header is too long"
            ),
        ] as [(String, CheckResult, String)])
    func status(answer: String, result: CheckResult, evidence: String) async throws {
        let server = try TestServer { _ in Array(answer.utf8) }
        let seen = try await outcome(of: .http(HTTPProbe(port: server.port)))
        #expect(seen.result == result)
        #expect(seen.evidence == evidence)
    }

    @Test("an endless page is not read to its end")
    func endless() async throws {
        let page = TestServer.http("200 OK", String(repeating: "x", count: 4 << 20))
        let server = try TestServer { _ in page }
        let seen = try await outcome(of: .http(HTTPProbe(port: server.port, body: "well")), timeout: 60_000)
        #expect(seen.result == .failed)
        #expect(seen.evidence == "the expected text is not in the first 262144 bytes of the body")
    }

    @Test("a request has the configured path and host, and the configured status codes pass")
    func request() async throws {
        let server = try TestServer { request in
            let text = String(decoding: request, as: UTF8.self)
            let isRight = text.hasPrefix("GET /health?x=1 HTTP/1.1\r\n") && text.contains("Host: www.example.com\r\n")
            return TestServer.http(isRight ? "301 Moved" : "200 OK")
        }
        let probe = HTTPProbe(port: server.port, path: "/health?x=1", host: "www.example.com", codes: 300...301)
        #expect(try await outcome(of: .http(probe)).result == .passed)
    }

    @Test("a missing name server is a refused connection")
    func dns() async throws {
        let probe = DNSProbe(port: try closedPort(), name: "example.com")
        let refused = try await outcome(of: .dns(probe))
        #expect(refused.result == .refused && refused.evidence == "connection refused")
    }

    @Test("certificates are verified, requested by name, and must be valid for the configured days")
    func tls() async throws {
        let files = try CertificateFiles("node.example.com")
        let server = try TLSServer(files)
        func probe(_ days: Int, host: String?, trusted: Bool) -> Check.Probe {
            let rules = TLSRules(verifies: trusted, authorities: trusted ? files.certificate : nil)
            return .certificate(CertificateProbe(port: server.port, host: host, days: days, tls: rules))
        }
        #expect(try await outcome(of: probe(20, host: "node.example.com", trusted: false)).result == .passed)
        let old = try await outcome(of: probe(40, host: nil, trusted: false))
        // In its first second it has all of its days.
        let days = [29, 30].map { "the certificate expires in \($0) days" }
        #expect(old.result == .failed && days.contains(old.evidence), "\(old)")
        let stranger = try await outcome(
            of: .http(HTTPProbe(port: server.port, host: "x.example.com", tls: TLSRules())))
        #expect(stranger.result == .failed && stranger.evidence.hasPrefix("TLS: "))
        let http = HTTPProbe(port: server.port, tls: TLSRules(verifies: false))
        #expect(try await outcome(of: .http(http)).result == .passed)
    }
}
