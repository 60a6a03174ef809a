import ControlFailures
import Foundation
import ManagementClient
import Testing

@Suite struct ExchangeTests {
    private static let counted = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
    private static let chunked =
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nhel\r\n2\r\nlo\r\n0\r\nTrailer: t\r\n\r\n"
    private static let interim = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length:5\r\n\r\nhello"

    private static func pieces(_ text: String, of size: Int = .max) -> [[UInt8]] {
        let bytes = Array(text.utf8)
        return stride(from: 0, to: bytes.count, by: min(size, bytes.count)).map {
            Array(bytes[$0..<min($0 + min(size, bytes.count), bytes.count)])
        }
    }

    private static func send(
        to path: String, seconds: Double = 60, _ body: [UInt8] = []
    ) async throws -> Result<[UInt8], ControlFailure> {
        try await offPool {
            do throws(ControlFailure) {
                let client = ControlClient(path: path, timeoutSeconds: seconds)
                return .success(try client.send(body.isEmpty ? "GET" : "PUT", "/v1/x", body))
            } catch { return .failure(error) }
        }
    }

    @Test(
        "a response is complete at its last byte, in whatever pieces it comes", arguments: [counted, chunked, interim])
    func pieces(text: String) async throws {
        for size in [1, 2, 3, 7, 1_000] {
            let server = try ScriptedServer()
            server.answer(Self.pieces(text, of: size), holds: true)
            #expect(try await Self.send(to: server.path).get() == Array("hello".utf8))
        }
    }

    @Test("without a length the body ends with the connection")
    func untilEnd() async throws {
        let server = try ScriptedServer()
        server.answer([Array("HTTP/1.1 200 OK\r\n\r\nhel".utf8), Array("lo".utf8)])
        #expect(try await Self.send(to: server.path).get() == Array("hello".utf8))
    }

    @Test("a response that ends too early is reported as such", arguments: [counted, chunked, "HTTP/1.1 200 O", ""])
    func truncated(text: String) async throws {
        let server = try ScriptedServer()
        server.answer([Array(text.utf8.dropLast())])
        let failure = await #expect(throws: ControlFailure.self) { try await Self.send(to: server.path).get() }
        #expect(failure == Self.cut(server))
    }

    @Test(
        "a daemon that dies in the middle of its answer, or before it, is reported as such", arguments: [true, false])
    func dies(hasBegun: Bool) async throws {
        let server = try ScriptedServer()
        // The request is never read, so the kernel resets the connection instead of closing it in order.
        let begun = Array("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel".utf8)
        server.answer(hasBegun ? [begun] : [], readsFirst: false)
        let failure = await #expect(throws: ControlFailure.self) {
            try await Self.send(to: server.path, [UInt8](repeating: 0x20, count: 1 << 20)).get()
        }
        #expect(failure == Self.cut(server))
    }

    @Test("a server that closes only its sending side has answered; what it still reads does not matter")
    func halfClosed() async throws {
        let server = try ScriptedServer()
        server.answer(Self.pieces(Self.counted), holds: true, closesSending: true)
        #expect(try await Self.send(to: server.path).get() == Array("hello".utf8))
        server.answer([Array("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel".utf8)], holds: true, closesSending: true)
        let failure = await #expect(throws: ControlFailure.self) { try await Self.send(to: server.path).get() }
        #expect(failure == Self.cut(server))
    }

    private static func cut(_ server: ScriptedServer) -> ControlFailure {
        ControlFailure(
            .unavailable, "\(server.path): the daemon closed the connection before its answer was complete",
            remedy: "look at the log of nearcastd; it may have carried out the request")
    }

    @Test("a response of 100 MB arrives whole")
    func large() async throws {
        let server = try ScriptedServer()
        let size = 100_000_000
        let megabyte = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0) }
        let head = Array("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n".utf8)
        server.answer([head] + [[UInt8]](repeating: megabyte, count: 100), holds: true)
        let body = try await Self.send(to: server.path).get()
        #expect(body.count == size)
        #expect(body.suffix(1_000_000) == megabyte[...] && body.prefix(1_000_000) == megabyte[...])
    }

    @Test("a response that is too large is refused at its head, with what to do about it")
    func tooLarge() async throws {
        let server = try ScriptedServer()
        let head = "HTTP/1.1 200 OK\r\nContent-Length: \((256 << 20) + 1)\r\n\r\n"
        server.answer([Array(head.utf8)], holds: true)
        let failure = await #expect(throws: ControlFailure.self) { try await Self.send(to: server.path).get() }
        #expect(
            failure
                == ControlFailure(
                    .unavailable, "\(server.path): the answer is too large: it has more than 256 MiB",
                    remedy: "ask for less, for example with --limit"))
    }

    @Test("JSON of another shape is reported with the version as the likely cause")
    func otherShape() async throws {
        let server = try ScriptedServer()
        server.answer([Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}".utf8)], holds: true)
        let path = server.path
        let failure = await #expect(throws: ControlFailure.self) {
            try await offPool { _ = try ControlClient(path: path, timeoutSeconds: 60).status() }
        }
        #expect(failure?.message.hasPrefix("\(path): the daemon's answer cannot be read: ") == true)
        #expect(failure?.remedy == "use the nearcast of the daemon's version")
    }

    @Test(
        "what is not an HTTP response is reported as such",
        arguments: [
            "SSH-2.0-OpenSSH\r\n\r\n", "HTTP/1.1 xx Low\r\n\r\n", "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n", String(repeating: "x", count: 20_000),
        ])
    func malformed(text: String) async throws {
        let server = try ScriptedServer()
        server.answer([Array(text.utf8)], holds: true)
        let failure = await #expect(throws: ControlFailure.self) { try await Self.send(to: server.path).get() }
        #expect(failure?.code == .unavailable)
        #expect(
            failure?.message.hasPrefix("\(server.path): the answer is not an HTTP response: ") == true,
            "\(String(describing: failure))")
    }

    @Test("an error without the daemon's own words is reported by its status")
    func foreign() async throws {
        let server = try ScriptedServer()
        server.answer([Array("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 2\r\n\r\nno".utf8)], holds: true)
        let failure = await #expect(throws: ControlFailure.self) { try await Self.send(to: server.path).get() }
        #expect(failure?.message == "\(server.path): the daemon answered with HTTP status 502")
        #expect(failure?.remedy == "check that this path is the control socket of nearcastd")
    }

    @Test("the reason arrives even if the server refuses a large body before it has read it")
    func refusedEarly() async throws {
        let body = #"{"error":{"code":"too_large","message":"the body has more than 9 bytes"}}"#
        let server = try ScriptedServer()
        server.answer(
            [Array("HTTP/1.1 413 Too Large\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)".utf8)],
            readsFirst: false)
        let failure = await #expect(throws: ControlFailure.self) {
            try await Self.send(to: server.path, [UInt8](repeating: 0x20, count: 16 << 20)).get()
        }
        #expect(failure == ControlFailure(.tooLarge, "the body has more than 9 bytes"))
    }

    @Test("a daemon that does not answer in time is reported as such", arguments: [false, true])
    func deadline(hasBegun: Bool) async throws {
        let server = try ScriptedServer()
        server.answer(hasBegun ? [Array("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel".utf8)] : [], holds: true)
        let failure = await #expect(throws: ControlFailure.self) {
            try await Self.send(to: server.path, seconds: 0.3).get()
        }
        #expect(
            failure
                == ControlFailure(
                    .unavailable, "\(server.path): no answer within 0.3 seconds",
                    remedy: "look at the log of nearcastd; it may still carry out the request"))
    }

    @Test("a full queue of the socket is waited for")
    func fullQueue() async throws {
        let server = try ScriptedServer(queue: 1)
        let waiting = [server.fillQueue(), server.fillQueue()]
        async let response = Self.send(to: server.path)
        // The client tries again while nothing is accepted.
        try await Task.sleep(for: .milliseconds(100))
        server.dismissOne()
        server.dismissOne()
        server.answer(Self.pieces(Self.counted))
        #expect(try await response.get() == Array("hello".utf8))
        for descriptor in waiting { close(descriptor) }
    }

    @Test("a socket that cannot be used is reported with what to do about it")
    func unreachable() async throws {
        let abandoned = try ScriptedServer()
        abandoned.abandon()
        for path in ["/tmp/nearcast-test-none/control.sock", abandoned.path] {
            let failure = await #expect(throws: ControlFailure.self) { try await Self.send(to: path).get() }
            #expect(failure?.message == "no daemon at \(path): is nearcastd running?")
            #expect(failure?.remedy?.hasPrefix("start it with systemctl") == true)
        }
        let long = "/tmp/" + String(repeating: "x", count: 110)
        let failure = await #expect(throws: ControlFailure.self) { try await Self.send(to: long).get() }
        #expect(failure == ControlFailure(.unavailable, "\(long): File name too long"))
    }
}
