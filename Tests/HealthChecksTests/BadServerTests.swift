import Fixtures
import Foundation
import Health
import HealthChecks
import IPNetworks
import Synchronization
import Testing

/// Servers that mean no good.
@Suite struct BadServerTests {
    @Test("only a few hundred kilobytes of an endless response are read, in its head and in its body")
    func gigabytes() async throws {
        let page = "HTTP/1.1 200 OK\r\nContent-Length: 8589934592\r\n\r\n"
        let body = try TestServer(repeating: [UInt8](repeating: 0x78, count: 1 << 16), 1 << 17) { _ in Array(page.utf8)
        }
        let seen = try await outcome(of: .http(HTTPProbe(port: body.port, body: "well")), timeout: 60_000)
        #expect(seen.evidence == "the expected text is not in the first 262144 bytes of the body")
        // What both kernels had room for, and no more.
        #expect(body.sent < 64 << 20, "\(body.sent)")

        let head = try TestServer(repeating: Array("X-Long: \(String(repeating: "x", count: 1_000))\r\n".utf8), 1 << 23)
        {
            _ in Array("HTTP/1.1 200 OK\r\n".utf8)
        }
        let endless = try await outcome(of: .http(HTTPProbe(port: head.port)), timeout: 60_000)
        #expect(endless.result == .failed && !endless.evidence.hasPrefix("no answer"), "\(endless.evidence)")
        #expect(head.sent < 64 << 20, "\(head.sent)")

        let stream = try TestServer(repeating: [UInt8](repeating: 0x78, count: 1 << 16), 1 << 17) { _ in [] }
        let tcp = try await outcome(of: .tcp(TCPProbe(port: stream.port, send: "x", expect: "well")), timeout: 60_000)
        #expect(tcp.evidence == "the expected text is not in the first 65536 bytes")
    }

    @Test("endless interim responses end the probe at a bounded cost", arguments: ["", "well"])
    func interim(body: String) async throws {
        let server = try TestServer(
            repeating: Array(String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 2_000).utf8), 1 << 16
        ) { _ in [] }
        let seen = try await outcome(of: .http(HTTPProbe(port: server.port, body: body)), timeout: 60_000)
        #expect(seen.result == .failed)
        let reasons = ["more than 8 interim responses", "the answer has more than 524288 bytes"]
        #expect(seen.evidence == reasons[body.isEmpty ? 0 : 1], "\(seen.evidence)")
        #expect(server.sent < 64 << 20, "\(server.sent)")
    }

    @Test("an endless head in tiny pieces is read in linear time")
    func pieces() async throws {
        let server = try TestServer(repeating: Array("X: y\r\n".utf8), 1 << 20) { _ in Array("HTTP/1.1 200 OK\r\n".utf8)
        }
        let seen = try await outcome(of: .http(HTTPProbe(port: server.port)), timeout: 5_000)
        #expect(seen.evidence == "the response header is too long")
    }

    @Test("a trickling response ends at the timeout")
    func trickle() async throws {
        let server = try TestServer(repeating: Array("x".utf8), 1_000, pause: 20_000) { _ in
            Array("HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n".utf8)
        }
        let seen = try await outcome(of: .http(HTTPProbe(port: server.port, body: "well")), timeout: 300)
        #expect(seen.evidence == "no answer within 300 ms")
        #expect(server.sent < 1_000, "the response has not come to its end: \(server.sent)")
    }
}
