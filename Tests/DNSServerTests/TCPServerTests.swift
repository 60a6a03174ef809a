import DNSServer
import Fixtures
import Foundation
import IPNetworks
import Synchronization
import Testing

@Suite struct TCPServerTests {
    private func server(
        _ answering: ScriptedAnswering = ScriptedAnswering(), at endpoint: SocketEndpoint = loopback,
        limits: StreamLimits = .init()
    ) throws -> TCPServer {
        try TCPServer(endpoints: [endpoint], answering: answering, limits: limits)
    }

    @Test("a query is answered on its connection, over either family", arguments: loopbacks)
    func answers(endpoint: SocketEndpoint) async throws {
        let server = try server(at: endpoint)
        let bound = server.endpoints[0]
        let reply = try await running(server) {
            let client = try TestSocket(.tcp, to: bound)
            try client.sendMessage([ScriptedAnswering.who])
            return try client.receiveMessage()
        }
        #expect(reply == Array("\(endpoint.address) tcp".utf8))
    }

    @Test("100 queries in one segment are answered in order")
    func pipelining() async throws {
        let server = try server()
        let bound = server.endpoints[0]
        let replies = try await running(server) {
            let client = try TestSocket(.tcp, to: bound)
            try client.send((0..<100).flatMap { framed(echo("\($0)")) })
            return try (0..<100).map { _ in try client.receiveMessage() }
        }
        #expect(replies == (0..<100).map { echo("\($0)") })
    }

    @Test("a query that arrives byte by byte is answered")
    func fragments() async throws {
        let server = try server()
        let bound = server.endpoints[0]
        let replies = try await running(server) {
            let client = try TestSocket(.tcp, to: bound)
            for byte in framed(echo("slow")) + framed(echo("again")) {
                try client.send([byte])
                usleep(1_000)
            }
            return try (0..<2).map { _ in try client.receiveMessage() }
        }
        #expect(replies == [echo("slow"), echo("again")])
    }

    @Test("the longest message and the longest reply arrive whole")
    func longest() async throws {
        let server = try server()
        let bound = server.endpoints[0]
        let message = [ScriptedAnswering.echo] + [UInt8](repeating: 9, count: 65_534)
        let reply = try await running(server) {
            let client = try TestSocket(.tcp, to: bound)
            try client.sendMessage(message)
            return try client.receiveMessage()
        }
        #expect(reply == message)
    }

    @Test("a query without a reply does not block the next one")
    func silentReply() async throws {
        let server = try server()
        let bound = server.endpoints[0]
        let reply = try await running(server) {
            let client = try TestSocket(.tcp, to: bound)
            try client.send(framed([ScriptedAnswering.silent]) + framed(echo("next")))
            return try client.receiveMessage()
        }
        #expect(reply == echo("next"))
    }

    @Test("an empty message is skipped: queries before and after it are answered, and the connection stays")
    func emptyMessage() async throws {
        let server = try server()
        let bound = server.endpoints[0]
        let replies = try await running(server) {
            let client = try TestSocket(.tcp, to: bound)
            try client.send([0, 0] + framed(echo("before")) + [0, 0, 0, 0] + framed(echo("after")) + [0, 0])
            let replies = try (0..<2).map { _ in try client.receiveMessage() }
            try client.sendMessage(echo("later"))
            return replies + [try client.receiveMessage()]
        }
        #expect(replies == [echo("before"), echo("after"), echo("later")])
    }

    @Test("a client that closes its side after an empty message gets every reply, then the end")
    func emptyMessageAtEnd() async throws {
        let server = try server()
        let bound = server.endpoints[0]
        let outcome = try await running(server) {
            let client = try TestSocket(.tcp, to: bound)
            try client.send(framed(echo("before")) + [0, 0] + framed(echo("after")) + [0, 0])
            client.finishSending()
            return (try (0..<2).map { _ in try client.receiveMessage() }, try client.isClosed())
        }
        #expect(outcome.0 == [echo("before"), echo("after")])
        #expect(outcome.1)
    }

    @Test("a client that closes its side still gets every reply")
    func halfClose() async throws {
        let server = try server()
        let bound = server.endpoints[0]
        let outcome = try await running(server) {
            let client = try TestSocket(.tcp, to: bound)
            try client.send((0..<50).flatMap { _ in framed(sized(60_000)) })
            client.finishSending()
            let replies = try (0..<50).map { _ in try client.receiveMessage()?.count }
            return (replies, try client.isClosed())
        }
        #expect(outcome.0 == [Int?](repeating: 60_000, count: 50))
        #expect(outcome.1)
    }

    @Test("an idle connection is closed, and not before its timeout")
    func idle() async throws {
        let server = try server(limits: .init(idleSeconds: 0.4))
        let bound = server.endpoints[0]
        let outcome = try await running(server) {
            let start = ContinuousClock.now
            let client = try TestSocket(.tcp, to: bound)
            return (try client.isClosed(), ContinuousClock.now - start)
        }
        #expect(outcome.0)
        #expect(outcome.1 >= .milliseconds(400))
        #expect(server.counters.closed["idle"] == 1)
    }

    @Test("the server stops reading from a client that reads no replies, and goes on once it reads them")
    func slowReader() async throws {
        let answering = ScriptedAnswering()
        let server = try server(answering)
        let bound = server.endpoints[0]
        let queries = 2_000
        let outcome = try await running(server) {
            let client = try TestSocket(.tcp, to: bound)
            try client.send((0..<queries).flatMap { _ in framed(sized(65_000)) })
            eventually { server.counters.buffered > 0 }
            let early = settled { answering.answered.load(ordering: .relaxed) }
            let replies = try (0..<queries).filter { _ in try client.receiveMessage()?.count == 65_000 }.count
            return (early, replies)
        }
        // The kernel's buffers take some; 130 MB of replies they do not.
        #expect(outcome.0 < queries / 2)
        #expect(outcome.1 == queries)
    }

    @Test("a client that never takes its replies is closed")
    func stuckReader() async throws {
        let server = try server(limits: .init(idleSeconds: 0.3))
        let bound = server.endpoints[0]
        let isClosed = try await running(server) {
            let client = try TestSocket(.tcp, to: bound)
            try client.send((0..<2_000).flatMap { _ in framed(sized(65_000)) })
            return (eventually { server.counters.accepted == 1 && server.counters.open == 0 }, client)
        }
        #expect(isClosed.0)
        #expect(server.counters.closed["idle"] == 1)
    }

    @Test(
        "beyond a limit the connection that was idle longest is closed, and a free place is used",
        arguments: [(StreamLimits(connections: 3), "network"), (StreamLimits(connectionsPerClient: 3), "client")])
    func connectionLimit(limits: StreamLimits, cause: String) async throws {
        let server = try server(limits: limits)
        let bound = server.endpoints[0]
        let outcome = try await running(server) {
            func asks(_ client: TestSocket) -> Bool {
                (try? client.sendMessage(echo("q"))) != nil && (try? client.receiveMessage()) == echo("q")
            }
            var held = try (0..<3).map { _ in try TestSocket(.tcp, to: bound) }
            let accepted = held.map(asks)
            held.append(try TestSocket(.tcp, to: bound))
            let beyond = asks(held[3])
            let isClosed = try held[0].isClosed()
            held.removeSubrange(0..<2)
            eventually { server.counters.open == 2 }
            let free = asks(try TestSocket(.tcp, to: bound))
            return (accepted, beyond, isClosed, free, held.map(asks))
        }
        #expect(outcome.0 == [true, true, true])
        #expect(outcome.1 && outcome.2 && outcome.3)
        #expect(outcome.4 == [true, true])
        #expect(server.counters.closed[cause] == 1)
    }

    @Test("shutdown answers received queries, closes every connection and frees the address")
    func shutdown() async throws {
        // The shutdown comes while the last query is answered.
        let answering = ScriptedAnswering(delayMicroseconds: 50_000)
        let server = try server(answering)
        let bound = server.endpoints[0]
        let clients = try await running(server) {
            let clients = try (0..<5).map { _ in try TestSocket(.tcp, to: bound) }
            for client in clients {
                try client.sendMessage(echo("first"))
                _ = try client.receiveMessage()
            }
            try clients[0].sendMessage(echo("last"))
            eventually { answering.answered.load(ordering: .relaxed) == 6 }
            return clients
        }
        #expect(server.counters.open == 0)
        let outcome = try await offPool { (try clients[0].receiveMessage(), try clients.map { try $0.isClosed() }) }
        #expect(outcome.0 == echo("last"))
        #expect(outcome.1 == [Bool](repeating: true, count: 5))
        _ = try TCPServer(endpoints: [bound], answering: ScriptedAnswering())
    }
}
