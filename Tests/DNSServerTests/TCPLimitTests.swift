import DNSServer
import Fixtures
import Foundation
import IPNetworks
import Testing

/// What a client may not do to the others.
@Suite struct TCPLimitTests {
    private func server(_ limits: StreamLimits) throws -> TCPServer {
        try TCPServer(endpoints: [loopback], answering: ScriptedAnswering(), limits: limits)
    }

    @Test("after its last query a connection is closed, and every reply has arrived")
    func queriesPerConnection() async throws {
        let server = try server(.init(queriesPerConnection: 3))
        let bound = server.endpoints[0]
        let outcome = try await running(server) {
            let client = try TestSocket(.tcp, to: bound)
            try client.send((0..<5).flatMap { framed(echo("\($0)")) })
            let replies = try (0..<3).map { _ in try client.receiveMessage() }
            return (replies, try client.isClosed())
        }
        #expect(outcome.0 == (0..<3).map { echo("\($0)") })
        #expect(outcome.1)
    }

    @Test("empty messages count as queries")
    func emptyMessages() async throws {
        let server = try server(.init(queriesPerConnection: 3))
        let bound = server.endpoints[0]
        let isClosed = try await running(server) {
            let client = try TestSocket(.tcp, to: bound)
            try client.send([0, 0, 0, 0, 0, 0])
            return try client.isClosed()
        }
        #expect(isClosed)
    }

    @Test("a client that closes its side in the middle of a query gets the replies before it")
    func halfCloseInQuery() async throws {
        let server = try server(.init())
        let bound = server.endpoints[0]
        let outcome = try await running(server) {
            let client = try TestSocket(.tcp, to: bound)
            try client.send(framed(echo("whole")) + [0, 9, 1])
            client.finishSending()
            return (try client.receiveMessage(), try client.isClosed())
        }
        #expect(outcome.0 == echo("whole"))
        #expect(outcome.1)
    }

    @Test("when all places are taken, the idlest connection is closed for a newcomer")
    func crowded() async throws {
        let server = try server(.init(connections: 4, idleSeconds: 600))
        let bound = server.endpoints[0]
        let outcome = try await running(server) {
            let silent = try (0..<4).map { _ in try TestSocket(.tcp, to: bound) }
            let isFull = eventually { server.counters.open == 4 }
            let newcomer = try TestSocket(.tcp, to: bound)
            try newcomer.sendMessage(echo("busy"))
            let reply = try newcomer.receiveMessage()
            return (isFull, reply, silent.count, server.counters.closed["network"])
        }
        #expect(outcome == (true, echo("busy"), 4, 1))
    }

    @Test("a reset in the middle of replies harms no other connection")
    func reset() async throws {
        let server = try server(.init())
        let bound = server.endpoints[0]
        let outcome = try await running(server) {
            for _ in 0..<20 {
                let client = try TestSocket(.tcp, to: bound)
                try client.send((0..<50).flatMap { _ in framed(sized(60_000)) })
                client.resetOnClose()
            }
            let other = try TestSocket(.tcp, to: bound)
            try other.sendMessage(echo("still there"))
            let reply = try other.receiveMessage()
            return (reply, eventually { server.counters.accepted == 21 && server.counters.open == 1 })
        }
        #expect(outcome.0 == echo("still there"))
        #expect(outcome.1)
    }

    @Test("a flood of connections stays within the limit, is counted, and leaves nothing behind")
    func flood() async throws {
        let server = try server(.init(connections: 20, connectionsPerClient: 20, idleSeconds: 600))
        let bound = server.endpoints[0]
        let counters = try await running(server) {
            do {
                let flood = try (0..<300).map { _ in try TestSocket(.tcp, to: bound) }
                eventually { server.counters.accepted + (server.counters.closed["rate"] ?? 0) == 300 }
                #expect(server.counters.open <= 20)
                withExtendedLifetime(flood) {}
            }
            #expect(eventually { server.counters.open == 0 })
            let client = try TestSocket(.tcp, to: bound)
            try client.sendMessage(echo("after"))
            #expect(try client.receiveMessage() == echo("after"))
            return server.counters
        }
        // A client that comes again and again is refused.
        #expect(counters.closed["rate"] ?? 0 > 0)
        #expect(counters.refused >= 280)
        #expect(counters.accepted + (counters.closed["rate"] ?? 0) == 301)
    }

    @Test(
        "keepalive gives the idle time in units of 100 ms (RFC 7828, section 3.1)",
        arguments: [(10, 100), (0.25, 2), (600, 6_000), (1e9, 65_535)])
    func keepalive(seconds: Double, units: UInt16) {
        #expect(StreamLimits(idleSeconds: seconds).keepaliveTimeout == units)
    }
}
