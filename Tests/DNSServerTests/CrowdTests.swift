import DNSServer
import Fixtures
import Foundation
import IPNetworks
import Logging
import Synchronization
import Testing

/// Hosts of many networks that hold every place, and come back at once when they lose one.
@Suite("Crowded listeners", .serialized) struct CrowdTests {
    private static let networks = 16
    private static let limits = StreamLimits(connections: 64, connectionsPerClient: 64)

    /// What those who crowd do with a connection.
    enum Habit: CaseIterable, Sendable {
        /// Nothing.
        case silent
        /// They send a query before they would be closed.
        case asking
        /// They send a part of a message, or of a handshake.
        case half
    }

    @Test(
        "a client of another network is answered within a second over TCP while sixteen networks hold every place",
        arguments: Habit.allCases)
    func tcp(habit: Habit) async throws {
        let server = try TCPServer(endpoints: [loopback], answering: ScriptedAnswering(), limits: Self.limits)
        let bound = server.endpoints[0]
        let worst = try await running(server) {
            let crowd = Crowd(habit, at: bound, networks: Self.networks)
            defer { crowd.end() }
            crowd.awaitFullHouse { server.counters.open == 64 }
            return try (0..<20).map { _ in
                let began = ContinuousClock.now
                let client = try TestSocket(.tcp, to: bound, from: .v4(0x7fc8_0001))
                try client.sendMessage(echo("honest"))
                #expect(try client.receiveMessage() == echo("honest"))
                return ContinuousClock.now - began
            }.max() ?? .zero
        }
        #expect(worst < .seconds(1))
        #expect(server.counters.evicted >= 20, "\(server.counters)")
    }

    @Test(
        "so is one over TLS, beside connections that never finish their handshakes", arguments: [Habit.silent, .half])
    func tls(habit: Habit) async throws {
        let files = try CertificateFiles()
        let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        let certificate = try TLSCertificate(
            certificatePath: files.certificate, keyPath: files.key, logger: logger)
        let server = try TCPServer(
            endpoints: [loopback], answering: ScriptedAnswering(), limits: Self.limits, certificate: certificate)
        let bound = server.endpoints[0]
        let worst = try await running(server) {
            let crowd = Crowd(habit, at: bound, networks: Self.networks)
            defer { crowd.end() }
            crowd.awaitFullHouse { server.counters.open == 64 }
            return try (0..<5).map { _ in
                let began = ContinuousClock.now
                // The command starts in some 50 ms; its address is in a network of its own.
                let client = try TLSClient(to: bound, ["-bind", "127.200.0.1"])
                #expect(try client.ask(echo("honest")) == echo("honest"))
                return ContinuousClock.now - began
            }.max() ?? .zero
        }
        #expect(worst < .seconds(1))
        #expect(server.counters.evicted > 0, "\(server.counters)")
    }

    @Test("a network has so many handshakes a second, and others theirs")
    func handshakes() throws {
        let budget = HandshakeBudget(perSecond: 10, atOnce: 3)
        let (one, other) = (IPAddress.v4(0x7f01_0100), IPAddress.v4(0x7f02_0100))
        let start = ContinuousClock.now
        #expect((0..<5).map { _ in budget.begin(in: one, at: start) } == [true, true, true, false, false])
        #expect(budget.begin(in: other, at: start))
        #expect(budget.begin(in: one, at: start + .milliseconds(110)))
        #expect(!budget.begin(in: one, at: start + .milliseconds(120)))
        #expect((0..<5).count { _ in budget.begin(in: one, at: start + .seconds(60)) } == 3)
    }

    /// Keeps eight connections open from a host of each of some networks of 127.0.0.0/8.
    private final class Crowd: Sendable {
        private let isEnding = Atomic(false)
        private let ended = DispatchSemaphore(value: 0)

        init(_ habit: Habit, at server: SocketEndpoint, networks: Int) {
            Thread.detachNewThread { [self] in
                var held: [TestSocket?] = Array(repeating: nil, count: networks * 8)
                while !isEnding.load(ordering: .relaxed) {
                    for index in held.indices {
                        let source = IPAddress.v4(0x7f00_0001 + UInt32(1 + index % networks) << 16)
                        if let socket = held[index], Self.isAlive(socket, habit) { continue }
                        held[index] = try? TestSocket(.tcp, to: server, from: source, timeoutSeconds: 0.000_1)
                        if habit == .half { try? held[index]?.send([22, 3]) }
                    }
                    Thread.sleep(forTimeInterval: 0.01)
                }
                ended.signal()
            }
        }

        private static func isAlive(_ socket: TestSocket, _ habit: Habit) -> Bool {
            do {
                if habit == .asking { try socket.sendMessage(echo("x")) }
                return try socket.receive() != []
            } catch { return false }
        }

        func awaitFullHouse(_ isFull: () -> Bool) {
            for _ in 0..<300 where !isFull() { Thread.sleep(forTimeInterval: 0.01) }
        }

        func end() {
            isEnding.store(true, ordering: .relaxed)
            ended.wait()
        }
    }
}
