import DNSServer
import IPNetworks
import Testing

/// Who counts as one client.
@Suite struct OpenConnectionsTests {
    private func connections(perClient: Int) -> OpenConnections {
        let pace = PaceLimits(perSecond: 1_000, networkPerSecond: 1_000, networkBurst: 1_000)
        return OpenConnections(limit: 100, perClient: perClient, crowdPace: pace, handshakes: nil)
    }

    private func address(_ text: String) throws -> IPAddress { try #require(IPAddress(text)) }

    @Test(
        "the addresses of an IPv6 /64 are one client, and each IPv4 address is one",
        arguments: [
            ("2001:db8::1", "2001:db8::1", true), ("2001:db8::1", "2001:db8::ffff:ffff:ffff:ffff", true),
            ("2001:db8::1", "2001:db8:0:1::1", false), ("2001:db8::1", "2001:db8:8000::1", false),
            ("192.0.2.1", "192.0.2.1", true), ("192.0.2.1", "192.0.2.2", false),
        ])
    func client(first: String, second: String, isSame: Bool) throws {
        let connections = connections(perClient: 1)
        _ = try #require(connections.admit(from: address(first)))
        _ = try #require(connections.admit(from: address(second)))
        #expect(connections.count == (isSame ? 1 : 2))
        #expect(connections.closed[.client] ?? 0 == (isSame ? 1 : 0))
    }

    @Test("a client has as many connections as its limit, and a closed one makes room")
    func limit() throws {
        let connections = connections(perClient: 3)
        let tickets = try (1...3).map { try #require(connections.admit(from: address("2001:db8::\($0)"))) }
        #expect(connections.count == 3 && connections.closed.isEmpty)
        connections.leave(tickets[0])
        connections.leave(tickets[0])
        #expect(connections.count == 2)
        _ = try #require(connections.admit(from: address("2001:db8::4")))
        #expect(connections.count == 3 && connections.closed.isEmpty)
        _ = try #require(connections.admit(from: address("2001:db8::5")))
        #expect(connections.count == 3 && connections.closed == [.client: 1])
    }
}
