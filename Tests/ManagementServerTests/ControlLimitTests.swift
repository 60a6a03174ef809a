import Foundation
import Glibc
import ManagementClient
import ManagementServer
import ManagementTypes
import Synchronization
import Testing

@Suite("Limits of the control socket") struct ControlLimitTests {
    /// A connection that does nothing by itself.
    private final class Idler: Sendable {
        private let descriptor: CInt

        init(_ path: String) throws {
            descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
            let connected = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            try #require(connected == 0, "\(String(cString: strerror(errno)))")
        }

        deinit { close(descriptor) }

        func send(_ text: String) {
            _ = text.withCString { Glibc.send(descriptor, $0, strlen($0), Int32(MSG_NOSIGNAL)) }
        }

        /// What comes until the server closes or has said `end`, for a minute at most; and whether it has closed.
        func receive(until end: String? = nil) -> (text: String, isClosed: Bool) {
            var text = ""
            let limit = ContinuousClock.now + .seconds(60)
            while ContinuousClock.now < limit {
                if let end, text.contains(end) { break }
                guard let more = receiveSome() else { return (text, true) }
                text += more
            }
            return (text, false)
        }

        /// Whether nothing has come that was not received yet.
        var isSilent: Bool {
            var watch = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            return poll(&watch, 1, 0) == 0
        }

        /// What comes within 20 milliseconds; `nil`: the server has closed.
        func receiveSome() -> String? {
            var watch = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&watch, 1, 20) > 0 else { return "" }
            var bytes = [UInt8](repeating: 0, count: 4_096)
            let count = recv(descriptor, &bytes, bytes.count, 0)
            return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
        }
    }

    private static let quick = ControlServer.Limits(connections: 8, requestMilliseconds: 300, idleMilliseconds: 600)
    private static let ample = ControlServer.Limits(connections: 8)

    private static func closed(_ cause: String, in metrics: String) -> Bool {
        let line = metrics.split(separator: "\n").first {
            $0.hasPrefix("nearcast_control_connections_closed_total{cause=\"\(cause)\"}")
        }
        return line?.split(separator: " ").last.flatMap { Double($0) } ?? 0 > 0
    }

    @Test("idle connections hold no place against one that comes: the idlest gives way")
    func idle() async throws {
        try await withServer(limits: Self.ample) { client in
            let idlers = try (0..<40).map { _ in try Idler(client.path) }
            for _ in 0..<10 { #expect(try client.status().pid == 42) }
            #expect(idlers[0].receive().isClosed)
            let metrics = try client.metrics()
            #expect(Self.closed("evicted", in: metrics), "\(metrics)")
        }
    }

    @Test("a request beyond those that are being answered is refused with an answer, and nothing is done")
    func busy() async throws {
        let daemon = FakeDaemon()
        daemon.isHolding.store(true, ordering: .relaxed)
        try await withServer(daemon, limits: Self.ample) { client in
            let request = "POST /v1/reload HTTP/1.1\r\nhost: n\r\ncontent-length: 0\r\n\r\n"
            func reloads() -> Int { daemon.asked.withLock { $0.count { $0.hasPrefix("reload") } } }
            let busy = try (0..<4).map { _ in try Idler(client.path) }
            for one in busy { one.send(request) }
            for _ in 0..<30_000 where reloads() < 4 { usleep(2_000) }
            let fifth = try Idler(client.path)
            fifth.send(request)
            let refused = fifth.receive()
            #expect(refused.isClosed && refused.text.hasPrefix("HTTP/1.1 503 "), "\(refused)")
            #expect(refused.text.contains("\"code\"") && refused.text.contains("nothing was done"), "\(refused)")
            daemon.isHolding.store(false, ordering: .relaxed)
            for one in busy { #expect(one.receive(until: "200 OK").text.contains("200 OK")) }
            let metrics = try client.metrics()
            #expect(reloads() == 4 && Self.closed("refused", in: metrics))
        }
    }

    @Test("a request whose body comes later is not begun before there is a place for it")
    func busyBeforeTheEnd() async throws {
        let daemon = FakeDaemon()
        daemon.isHolding.store(true, ordering: .relaxed)
        try await withServer(daemon, limits: Self.ample) { client in
            func asked(_ word: String) -> Int { daemon.asked.withLock { $0.count { $0.hasPrefix(word) } } }
            let busy = try (0..<4).map { _ in try Idler(client.path) }
            for one in busy { one.send("POST /v1/reload HTTP/1.1\r\nhost: n\r\ncontent-length: 0\r\n\r\n") }
            for _ in 0..<30_000 where asked("reload") < 4 { usleep(2_000) }
            let fifth = try Idler(client.path)
            fifth.send("POST /v1/detach HTTP/1.1\r\nhost: n\r\ncontent-length: 2\r\n\r\n")
            usleep(200_000)
            fifth.send("{}")
            let refused = fifth.receive()
            #expect(refused.text.hasPrefix("HTTP/1.1 503 ") && refused.text.contains("nothing was done"), "\(refused)")
            #expect(asked("detach") == 0)
            daemon.isHolding.store(false, ordering: .relaxed)
            for one in busy { #expect(one.receive(until: "200 OK").text.contains("200 OK")) }
            // In pieces too, it is done when there is a place.
            let sixth = try Idler(client.path)
            for piece in ["POST /v1/detach HTTP/1.1\r\nhost: n\r\ncontent-length: 3\r\n\r\n", "{", " ", "}"] {
                sixth.send(piece)
                usleep(20_000)
            }
            #expect(sixth.receive(until: "200 OK").text.contains("200 OK") && asked("detach") == 1)
        }
    }

    @Test("who waits for an answer keeps the place, and places are left for those who do not wait")
    func waiting() async throws {
        let daemon = FakeDaemon()
        try await withServer(daemon, limits: Self.ample) { client in
            let request = "GET /v1/transitions?after=1000&wait=50 HTTP/1.1\r\nhost: n\r\n\r\n"
            let followers = try (0..<2).map { _ in try Idler(client.path) }
            for follower in followers { follower.send(request) }
            func waiting() -> Int { daemon.asked.withLock { $0.count { $0 == "transitions 1000 50" } } }
            for _ in 0..<30_000 where waiting() < 2 { usleep(2_000) }
            let third = try Idler(client.path)
            third.send(request)
            #expect(third.receive(until: "503 ").text.contains("503 "), "two wait already")
            let idlers = try (0..<20).map { _ in try Idler(client.path) }
            #expect(try client.status().pid == 42)
            daemon.goOn()
            for follower in followers { #expect(follower.receive(until: "200 OK").text.contains("200 OK")) }
            #expect(idlers.count == 20)
        }
    }

    @Test(
        "a connection without progress is closed in its time",
        arguments: [
            "", "GET /v1/status HT", "PUT /v1/nodes/fra1/state HTTP/1.1\r\nhost: n\r\ncontent-length: 100\r\n\r\n{",
        ])
    func slow(start: String) async throws {
        try await withServer(limits: Self.quick) { client in
            let began = ContinuousClock.now
            let slow = try Idler(client.path)
            slow.send(start)
            #expect(slow.receive().isClosed)
            #expect(ContinuousClock.now - began >= .milliseconds(300))
            #expect(try Self.closed("slow", in: client.metrics()))
        }
    }

    /// A connection whose client asks and never reads: its answers fill every buffer on the way.
    private static func deaf(_ path: String) throws -> Idler {
        let deaf = try Idler(path)
        deaf.send(String(repeating: "GET /v1/status HTTP/1.1\r\nhost: n\r\n\r\n", count: 2_000))
        return deaf
    }

    @Test("a client that does not read its answers is closed, and its place is free again")
    func deaf() async throws {
        try await withServer(limits: Self.quick) { client in
            let deaf = try (0..<4).map { _ in try Self.deaf(client.path) }
            var isClosed = false
            for _ in 0..<600 where !isClosed {
                usleep(100_000)
                isClosed = (try? client.metrics()).map { Self.closed("slow", in: $0) } ?? false
            }
            #expect(isClosed && deaf.count == 4)
            #expect(try client.status().pid == 42)
        }
    }

    @Test("a client that does not read its answers does not hold up a stop")
    func deafAtStop() async throws {
        let patient = ControlServer.Limits(connections: 8, requestMilliseconds: 3_600_000)
        let kept = Mutex<[Idler]>([])
        try await withServer(limits: patient) { client in
            let deaf = try Self.deaf(client.path)
            #expect(try client.status().pid == 42)
            // Until something of an answer is there, the connection could be closed as an idle one.
            for _ in 0..<600 where deaf.isSilent { usleep(10_000) }
            kept.withLock { $0 = [deaf] }
        }
        #expect(kept.withLock { $0.count } == 1, "the server has ended while the client is there")
    }

    @Test("what comes byte by byte has no more time for it")
    func dripping() async throws {
        try await withServer(limits: Self.quick) { client in
            let slow = try Idler(client.path)
            slow.send("GET /v1/status HTTP/1.1\r\nx: ")
            var pieces = 0
            while slow.receiveSome() != nil, pieces < 3_000 {
                slow.send("a")
                pieces += 1
            }
            #expect(pieces < 3_000)
        }
    }

    @Test("a head that is too large ends the connection")
    func largeHead() async throws {
        try await withServer { client in
            let talker = try Idler(client.path)
            talker.send("GET /v1/status HTTP/1.1\r\nx: \(String(repeating: "a", count: 70_000))\r\n\r\n")
            let answer = talker.receive()
            #expect(answer.isClosed && !answer.text.contains("200 OK"), "\(answer)")
            #expect(try client.status().pid == 42)
        }
    }
}
