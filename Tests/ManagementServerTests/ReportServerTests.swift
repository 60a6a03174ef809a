import Access
import Fixtures
import Foundation
import ManagementServer
import Synchronization
import Testing

@Suite(.serialized) struct ReportServerTests {
    @Test("a report with a token reaches the daemon with what the token speaks for, and the reply says what came of it")
    func report() async throws {
        try await Listening().run { listening in
            let answer = try await listening.exchange([
                Listening.request("/v1/nodes/fra%201/report", #"{"load": 4, "laod": 5}"#)
            ])
            #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"), "\(answer)")
            #expect(
                answer.hasSuffix(
                    #"{"authority":"checks","ignored":["peers.x","laod"],"node":"fra 1","state":"up","validSeconds":60}"#
                ), "\(answer)")
            #expect(listening.scribe.said.withLock { $0 } == ["node fra1 4.0"])
            let verdicts = Listening.request(
                "/v1/observers/ams/verdicts", #"{"verdicts": {"fra1": "up", "x": "down"}}"#,
                token: Listening.token + "o")
            #expect(try await listening.exchange([verdicts]).contains(#""isHeard":true"#))
        }
    }

    @Test(
        "what is wrong is told with a code, and whoever has no token is heard no further",
        arguments: [
            (Listening.request(token: nil), "401 Unauthorized"),
            (Listening.request(token: Listening.token + "x"), "401 Unauthorized"),
            (Listening.request(token: "\(Listening.token) \(Listening.token)"), "401 Unauthorized"),
            (Listening.request(token: nil, length: 1 << 40), "401 Unauthorized"),
            (Listening.request("/v1/nodes/ber/report"), "404 Not Found"),
            (Listening.request("/v1/status"), "404 Not Found"),
            (Listening.request("/v1/nodes/fra%201/report", method: "GET"), "405 Method Not Allowed"),
            (Listening.request("/v1/nodes/fra%201/report", "{"), "400 Bad Request"),
            (Listening.request("/v1/nodes/fra%201/report", #"{"load": -1}"#), "400 Bad Request"),
            (Listening.request(length: 17 << 10), "413 Payload Too Large"),
            (Listening.request("/v1/observers/ams/verdicts", length: 1 << 20), "413 Payload Too Large"),
            ("no HTTP at all\r\n\r\n", "400 Bad Request"),
            ("POST / HTTP/1.1\r\n" + String(repeating: "X: y\r\n", count: 40_000), nil),
        ] as [(String, String?)])
    func refused(request: String, status: String?) async throws {
        try await Listening().run { listening in
            let answer = try await listening.exchange([request])
            if let status { #expect(answer.hasPrefix("HTTP/1.1 \(status)\r\n"), "\(answer.prefix(200))") }
            #expect(!answer.hasSuffix("(open)"), "the connection is closed")
            #expect(listening.scribe.said.withLock { $0.isEmpty })
            if status?.hasPrefix("401") == true { #expect(answer.contains("WWW-Authenticate: Bearer\r\n")) }
        }
    }

    @Test("a body in chunks is counted as it comes")
    func chunks() async throws {
        let head =
            "POST /v1/nodes/fra%201/report HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(Listening.token)\r\n"
            + "Transfer-Encoding: chunked\r\n\r\n"
        let chunk = "1000\r\n" + String(repeating: " ", count: 4_096) + "\r\n"
        try await Listening().run { listening in
            let answer = try await listening.exchange([head] + [String](repeating: chunk, count: 8))
            #expect(answer.hasPrefix("HTTP/1.1 413 "), "\(answer.prefix(100))")
        }
    }

    @Test("many requests share a connection")
    func keptAlive() async throws {
        try await Listening().run { listening in
            let open = Listening.request(closes: false)
            let answer = try await listening.exchange([open, open, open + Listening.request()])
            #expect(answer.components(separatedBy: "HTTP/1.1 200 OK").count == 5, "\(answer)")
            #expect(listening.scribe.said.withLock { $0.count } == 4)
        }
    }

    @Test("whoever sends slowly, or nothing, holds a place no longer than the time of a request, and delays nobody")
    func slow() async throws {
        let limits = ReportServer.Limits(requestMilliseconds: 300, idleMilliseconds: 300)
        try await Listening(limits).run { listening in
            async let silent = listening.exchange([""])
            async let dripping = listening.exchange(Listening.request().map { "\($0)" }, pause: 20_000)
            async let idle = listening.exchange([Listening.request(closes: false)])
            let answer = try await listening.exchange([Listening.request()])
            #expect(answer.hasPrefix("HTTP/1.1 200 OK"))
            let nothing = try await [silent, dripping]
            #expect(nothing == ["", ""])
            let kept = try await idle
            #expect(kept.hasPrefix("HTTP/1.1 200 OK") && !kept.hasSuffix("(open)"))
            #expect(listening.closed("slow") == 3)
        }
    }

    @Test("beyond the connections of one address its idlest is closed, and counted")
    func limits() async throws {
        let limits = ReportServer.Limits(connectionsPerClient: 2, requestMilliseconds: 600_000)
        try await Listening(limits).run { listening in
            let first = try Listening.connected(listening.port, patience: 30)
            eventually { listening.open == 1 }
            let second = try Listening.connected(listening.port, patience: 30)
            eventually { listening.open == 2 }
            let third = try await listening.exchange([Listening.request()])
            #expect(third.hasPrefix("HTTP/1.1 200 OK"))
            #expect(listening.closed("client") == 1)
            #expect(Listening.received(first) == "", "the idlest is closed")
            #expect(listening.closed("slow") == 0)
            for descriptor in [first, second] { close(descriptor) }
        }
    }

    @Test("other tokens in the file are in use soon, and a file that cannot be read leaves those before")
    func changed() async throws {
        try await Listening().run { listening in
            let other = String(repeating: "z", count: 20)
            func works(_ token: String) async throws -> Bool {
                try await listening.exchange([Listening.request(token: token)]).hasPrefix("HTTP/1.1 200")
            }
            #expect(try await !works(other))
            _ = try listening.files.write("tokens", BearerTokens.line("node", "*", token: other) + "\n")
            let limit = ContinuousClock.now + .seconds(60)
            while try await !works(other), ContinuousClock.now < limit {}
            #expect(try await works(other))
            #expect(try await !works(Listening.token))
            _ = try listening.files.write("tokens", "no tokens")
            #expect(eventually { listening.refusals.count == 1 })
            #expect(try await works(other))
        }
    }

    @Test("while addresses are kept, a successor that has bound them and does not accept gets no connection")
    func kept() async throws {
        try await Listening().run { listening in
            let successor = try listening.idleSuccessor()
            listening.server.keepAddresses(true)
            for _ in 0..<32 {
                let answer = try await listening.exchange([Listening.request()], patience: 10)
                #expect(answer.hasPrefix("HTTP/1.1 200 OK"), "\(answer)")
            }
            withExtendedLifetime(successor) {}
        }
    }

    @Test("over TLS, with the certificate of the files")
    func encrypted() async throws {
        try await Listening(isEncrypted: true).run { listening in
            let request = try listening.files.write("request", Listening.request())
            let (port, trusted) = (listening.port, listening.files.certificate)
            let answer = try run([
                "sh", "-c",
                "exec < \(request) openssl s_client -quiet -verify_return_error -verify_hostname reports.example.com "
                    + "-CAfile \(trusted) -alpn http/1.1 -connect 127.0.0.1:\(port) 2>/dev/null || true",
            ])
            #expect(answer.hasPrefix("HTTP/1.1 200 OK"), "\(answer)")
            let plain = try await listening.exchange([Listening.request()])
            #expect(!plain.contains("200 OK"))
        }
    }
}
