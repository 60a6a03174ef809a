import DNSServer
import Fixtures
import Foundation
import IPNetworks
import Synchronization
import Testing

@Suite struct UDPServerTests {
    @Test("a query is answered to its sender, over either family", arguments: loopbacks)
    func answers(endpoint: SocketEndpoint) async throws {
        let server = try UDPServer(endpoints: [endpoint], answering: ScriptedAnswering())
        let bound = server.endpoints[0]
        let replies = try await running(server) {
            let client = try TestSocket(.udp, to: bound)
            try client.send(echo("hello"))
            let first = try client.receive()
            try client.send([ScriptedAnswering.who])
            return (first, try client.receive())
        }
        #expect(replies.0 == echo("hello"))
        #expect(replies.1 == Array("\(endpoint.address) udp".utf8))
        #expect(server.counters == UDPServer.Counters(received: 2, sent: 2))
    }

    @Test("several addresses are served at once")
    func severalAddresses() async throws {
        let server = try UDPServer(endpoints: loopbacks, answering: ScriptedAnswering())
        let bound = server.endpoints
        let replies = try await running(server) {
            try bound.map { endpoint in
                let client = try TestSocket(.udp, to: endpoint)
                try client.send(echo("\(endpoint)"))
                return try client.receive()
            }
        }
        #expect(replies == bound.map { echo("\($0)") })
    }

    @Test(
        "with a wildcard socket the reply leaves from the address that was asked",
        arguments: [(IPAddress.v4(0), IPAddress.v4(0x7F00_0002)), (.v4(0), .v4(0x7F01_0203)), (.v6(0), .v6(1))])
    func replySource(wildcard: IPAddress, asked: IPAddress) async throws {
        let server = try UDPServer(endpoints: [.init(address: wildcard, port: 0)], answering: ScriptedAnswering())
        let bound = SocketEndpoint(address: asked, port: server.endpoints[0].port)
        let reply = try await running(server) {
            let client = try TestSocket(.udp, to: bound)
            try client.send(echo("who"))
            return try client.receive()
        }
        #expect(reply == echo("who"))
    }

    @Test("packets that the kernel drops from a full queue are counted")
    func overflow() async throws {
        let server = try UDPServer(endpoints: [loopback], answering: ScriptedAnswering(), threads: 1)
        let client = try TestSocket(.udp, to: server.endpoints[0])
        for _ in 0..<30_000 { try client.send([ScriptedAnswering.silent]) }
        #expect(server.counters.overflowed > 0)
        let counters = try await running(server) {
            eventually { server.counters.received + server.counters.overflowed == 30_000 }
            return server.counters
        }
        #expect(counters.received + counters.overflowed == 30_000)
    }

    @Test("each of many clients gets its own replies")
    func manyClients() async throws {
        let server = try UDPServer(endpoints: [loopback], answering: ScriptedAnswering())
        let bound = server.endpoints[0]
        let wrong = try await running(server) {
            let clients = try (0..<100).map { _ in try TestSocket(.udp, to: bound) }
            var wrong = 0
            for round in 0..<20 {
                for (number, client) in clients.enumerated() { try client.send(echo("\(number) \(round)")) }
                for (number, client) in clients.enumerated() where try client.receive() != echo("\(number) \(round)") {
                    wrong += 1
                }
            }
            return wrong
        }
        #expect(wrong == 0)
    }

    @Test("queries queued before the server runs are answered, beyond one batch")
    func batches() async throws {
        let server = try UDPServer(endpoints: [loopback], answering: ScriptedAnswering(), threads: 1)
        let client = try TestSocket(.udp, to: server.endpoints[0])
        for number in 0..<200 { try client.send(echo("\(number)")) }
        let replies = try await running(server) { try (0..<200).map { _ in try client.receive() } }
        #expect(replies == (0..<200).map { echo("\($0)") })
    }

    @Test("a missing or oversized reply sends nothing, and harms no other in its batch")
    func withheldReplies() async throws {
        let server = try UDPServer(endpoints: [loopback], answering: ScriptedAnswering(), threads: 1)
        let client = try TestSocket(.udp, to: server.endpoints[0])
        for query in [[ScriptedAnswering.silent], [], sized(4_097), sized(4_096), echo("last")] {
            try client.send(query)
        }
        let replies = try await running(server) { try (0..<2).map { _ in try client.receive() } }
        #expect(replies == [[UInt8](repeating: 7, count: 4_096), echo("last")])
        #expect(server.counters == UDPServer.Counters(received: 5, sent: 2))
    }

    @Test("a datagram of more than 4,096 bytes arrives truncated")
    func longDatagram() async throws {
        let server = try UDPServer(endpoints: [loopback], answering: ScriptedAnswering())
        let bound = server.endpoints[0]
        let reply = try await running(server) {
            let client = try TestSocket(.udp, to: bound)
            try client.send([ScriptedAnswering.measure] + [UInt8](repeating: 0, count: 5_000))
            return try client.receive()
        }
        #expect(reply == [0x10, 0x00])
    }

    @Test("shutdown answers queued queries, then ends")
    func shutdownDrains() async throws {
        // 200 queries of 1 ms each are far from answered when the shutdown comes; their replies fit the client's buffer.
        let server = try UDPServer(
            endpoints: [loopback], answering: ScriptedAnswering(delayMicroseconds: 1_000), threads: 1)
        let client = try TestSocket(.udp, to: server.endpoints[0])
        for number in 0..<200 { try client.send(echo("\(number)")) }
        try await running(server) { _ = try client.receive() }
        let rest = try await offPool { try (1..<200).map { _ in try client.receive() } }
        #expect(rest == (1..<200).map { echo("\($0)") })
        // The address is free again at once.
        _ = try UDPServer(endpoints: server.endpoints, answering: ScriptedAnswering())
    }

    @Test("an idle server ends without another packet", .timeLimit(.minutes(1)))
    func idleShutdown() async throws {
        let server = try UDPServer(endpoints: loopbacks, answering: ScriptedAnswering())
        try await running(server) {}
        #expect(server.counters == UDPServer.Counters(received: 0, sent: 0))
    }

    @Test("a successor takes over under load, and no query is lost", arguments: loopbacks)
    func handover(endpoint: SocketEndpoint) async throws {
        let first = try UDPServer(endpoints: [endpoint], answering: ScriptedAnswering(), threads: 2)
        let bound = first.endpoints[0]
        let second = try UDPServer(endpoints: [bound], answering: ScriptedAnswering(), threads: 2, handover: true)
        let stop = Atomic<Bool>(false)
        let outcome = try await running(second) {
            let done = DispatchSemaphore(value: 0)
            let lost = Atomic<Int>(0)
            Thread.detachNewThread {
                // A new port for each query: the kernel spreads them over all sockets of the address.
                while !stop.load(ordering: .relaxed) {
                    let reply = try? { () throws -> [UInt8]? in
                        let client = try TestSocket(.udp, to: bound)
                        try client.send(echo("q"))
                        return try client.receive()
                    }()
                    if reply != echo("q") { lost.wrappingAdd(1, ordering: .relaxed) }
                }
                done.signal()
            }
            let ended = DispatchSemaphore(value: 0)
            Task {
                _ = try await running(first) { eventually { first.counters.received > 100 } }
                ended.signal()
            }
            ended.wait()
            eventually { second.counters.received > first.counters.received }
            stop.store(true, ordering: .relaxed)
            done.wait()
            return lost.load(ordering: .relaxed)
        }
        #expect(outcome == 0)
        #expect(first.counters.received > 100)
        #expect(second.counters.received > first.counters.received)
        #expect(first.counters.received == first.counters.sent)
    }
}
