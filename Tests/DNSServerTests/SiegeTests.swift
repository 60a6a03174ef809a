import DNSServer
import Fixtures
import Foundation
import IPNetworks
import Logging
import Synchronization
import Testing

/// Full houses: hostile networks hold every place and come back at once, and a client of another network needs an answer.
@Suite(.serialized) struct SiegeTests {
    private static let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
    /// 127.200.1.1, where no hostile client is.
    private static let honest = IPAddress.v4(0x7FC8_0101)

    /// Room for 64 connections, with an idle timeout longer than a test.
    private static let limits: StreamLimits = {
        var limits = StreamLimits(connections: 64, connectionsPerClient: 64, idleSeconds: 600)
        limits.handshakes.seconds = 600
        return limits
    }()

    @Test(
        "while 20 hostile networks hold every TCP connection and come back, another client is answered and stays",
        arguments: [
            [.silent], [.asks(echo("still here"))], [.silent, .asks(echo("still here"))],
            [.says(Array(framed(echo("half a query")).dropLast()))],
        ] as [[Besieger.Conduct]])
    func plain(conducts: [Besieger.Conduct]) async throws {
        let server = try TCPServer(endpoints: [loopback], answering: ScriptedAnswering(), limits: Self.limits)
        let bound = server.endpoints[0]
        let answered = try await running(server) {
            let besieger = Besieger(bound, networks: 20, perNetwork: 10, conducts: conducts)
            defer { besieger.end() }
            #expect(eventually { server.counters.open == 64 })
            let answered = try (0..<20).map { _ in
                let client = try TestSocket(.tcp, to: bound, from: Self.honest)
                try client.sendMessage(echo("honest"))
                guard try client.receiveMessage() == echo("honest") else { return false }
                // The connection stays: it is not the one that gives way to those who come back.
                let made = besieger.made.load(ordering: .relaxed)
                eventually { besieger.made.load(ordering: .relaxed) >= made + 100 }
                try client.sendMessage(echo("again"))
                return try client.receiveMessage() == echo("again")
            }
            #expect(eventually { server.counters.closed["network"] ?? 0 > 200 })
            return answered
        }
        #expect(answered == [Bool](repeating: true, count: 20))
        #expect(server.counters.closed["idle"] == 0)
    }

    /// A record that announces a ClientHello of 512 bytes, and a few of them.
    private static let halfHello: [UInt8] = [22, 3, 1, 2, 0, 1, 0, 1, 252, 3, 3] + [UInt8](repeating: 7, count: 100)

    @Test(
        "while 20 hostile networks hold every TLS connection, silent or in a handshake, another client is answered",
        arguments: [[.silent], [.says(Self.halfHello)], [.silent, .says(Self.halfHello)]] as [[Besieger.Conduct]])
    func encrypted(conducts: [Besieger.Conduct]) async throws {
        let files = try CertificateFiles()
        let certificate = try TLSCertificate(
            certificatePath: files.certificate, keyPath: files.key, logger: Self.logger)
        let server = try TCPServer(
            endpoints: [loopback], answering: ScriptedAnswering(),
            limits: Self.limits, certificate: certificate)
        let bound = server.endpoints[0]
        let answered = try await running(server) {
            let besieger = Besieger(bound, networks: 20, perNetwork: 10, conducts: conducts)
            defer { besieger.end() }
            #expect(eventually { server.counters.open == 64 })
            return try (0..<10).map { _ in
                let client = try TLSClient(to: bound, ["-bind", "127.200.1.1"])
                return try client.ask(echo("honest")) == echo("honest")
            }
        }
        #expect(answered == [Bool](repeating: true, count: 10))
        #expect(server.counters.closed["rate"] ?? 0 > 0)
        #expect(server.counters.closed["idle"] == 0)
    }

    @Test("a client at its limit loses its own idlest connection, and other clients lose none")
    func crowdingClient() async throws {
        let server = try TCPServer(
            endpoints: [loopback], answering: ScriptedAnswering(),
            limits: StreamLimits(connections: 100, connectionsPerClient: 3))
        let bound = server.endpoints[0]
        let outcome = try await running(server) {
            func asks(_ client: TestSocket) -> Bool {
                (try? client.sendMessage(echo("q"))) != nil && (try? client.receiveMessage()) == echo("q")
            }
            let other = try TestSocket(.tcp, to: bound, from: Self.honest)
            let before = asks(other)
            let crowding = try (0..<3).map { _ in try TestSocket(.tcp, to: bound) }
            let first = crowding.map(asks)
            // The first was in use last, so the second gives way.
            let used = asks(crowding[0])
            let fourth = asks(try TestSocket(.tcp, to: bound))
            return [
                before, first.allSatisfy(\.self), used, fourth, try crowding[1].isClosed(), asks(crowding[0]),
                asks(other),
            ]
        }
        #expect(outcome == [true, true, true, true, true, true, true])
        #expect(server.counters.closed["client"] == 1)
    }

    @Test("half-read queries of all connections share one limit of memory, and small queries are still answered")
    func buffers() async throws {
        let server = try TCPServer(
            endpoints: [loopback], answering: ScriptedAnswering(), limits: StreamLimits(bufferedBytes: 512 * 1_024))
        let bound = server.endpoints[0]
        let outcome = try await running(server) {
            let long = framed([ScriptedAnswering.echo] + [UInt8](repeating: 7, count: 60_000)).dropLast()
            let hostile = try (0..<40).map { _ in try TestSocket(.tcp, to: bound) }
            for client in hostile { try? client.send(Array(long)) }
            eventually { server.counters.closed["memory"] ?? 0 > 30 }
            let client = try TestSocket(.tcp, to: bound, from: Self.honest)
            try client.sendMessage(echo("small"))
            return (server.counters, try client.receiveMessage(), hostile.count)
        }
        #expect(outcome.0.buffered > 0 && outcome.0.buffered <= 512 * 1_024)
        #expect(outcome.0.closed["memory"] ?? 0 > 30)
        #expect(outcome.1 == echo("small"))
        #expect(server.counters.buffered == 0)
    }
}
