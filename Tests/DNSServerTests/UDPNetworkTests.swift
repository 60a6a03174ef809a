import BPFRuntime
import DNSServer
import Fixtures
import Foundation
import Glibc
import IPNetworks
import LinuxSupport
import Testing

/// Over a wire of their own: two namespaces joined by a veth pair.
@Suite(.serialized) struct UDPNetworkTests {
    private static let any4 = SocketEndpoint(address: .v4(0), port: 53)
    private static let any6 = SocketEndpoint(address: .v6(0), port: 53)

    private func server(in lab: NetworkLab, _ endpoints: [SocketEndpoint]) throws -> UDPServer {
        try inNetworkNamespace(lab.server) {
            try UDPServer(endpoints: endpoints, answering: ScriptedAnswering(), threads: 2)
        }
    }

    private func client(in lab: NetworkLab, to address: String, from source: String? = nil) throws -> TestSocket {
        let target = SocketEndpoint(address: try #require(IPAddress(address)), port: 53)
        return try inNetworkNamespace(lab.client) {
            try TestSocket(.udp, to: target, from: source.flatMap { IPAddress($0) })
        }
    }

    @Test(
        "with wildcard sockets the reply leaves from the address that was asked, and must not be fragmented",
        arguments: ["192.0.2.53", "192.0.2.54", "2001:db8:53::53", "2001:db8:53::54"])
    func replySource(asked: String) async throws {
        let lab = try NetworkLab("udp")
        try lab.serverIP("addr", "add", "192.0.2.54/24", "dev", NetworkLab.serverInterface)
        try lab.serverIP("addr", "add", "2001:db8:53::54/64", "dev", NetworkLab.serverInterface, "nodad")
        let server = try server(in: lab, [Self.any4, Self.any6])
        let client = try client(in: lab, to: asked)
        let wire = try inNetworkNamespace(lab.client) { try PacketSocket() }
        let (reply, packet) = try await running(server) {
            try client.send(sized(1_232))
            return (try client.receive(), wire.nextReply(fromPort: 53))
        }
        #expect(reply?.count == 1_232)
        let header = try #require(packet)
        if header[0] >> 4 == 4 {
            #expect(IPAddress(bytes: header[12..<16])?.description == asked)
            #expect(header[6] & 0x40 != 0, "DF")
            #expect(header[6] & 0x3f == 0 && header[7] == 0, "no fragment")
        } else {
            #expect(IPAddress(bytes: header[8..<24])?.description == asked)
            #expect(header[6] == 17, "no extension header, so no fragment")
        }
    }

    @Test(
        "a reply longer than the MTU is truncated and sent again, and harms no other in its batch",
        arguments: [("192.0.2.54", 1_300, 1_272), ("2001:db8:53::54", 1_300, 1_252)])
    func tooLong(asked: String, mtu: Int, longest: Int) async throws {
        let lab = try NetworkLab("mtu")
        try lab.serverIP("addr", "add", "192.0.2.54/24", "dev", NetworkLab.serverInterface)
        try lab.serverIP("addr", "add", "2001:db8:53::54/64", "dev", NetworkLab.serverInterface, "nodad")
        try lab.serverIP("link", "set", NetworkLab.serverInterface, "mtu", "\(mtu)")
        let server = try server(in: lab, [Self.any4, Self.any6])
        let client = try client(in: lab, to: asked)
        for query in [sized(4_096), echo("short"), sized(longest + 1), sized(longest)] { try client.send(query) }
        let replies = try await running(server) { try (0..<4).map { _ in try client.receive()?.count ?? 0 } }
        #expect(replies.sorted() == [1, 1, 6, longest])
        #expect(server.counters == UDPServer.Counters(received: 4, sent: 4, shortened: 2))
    }

    @Test("a reply that cannot be truncated is counted as too long")
    func uncuttable() async throws {
        let lab = try NetworkLab("cut")
        try lab.serverIP("link", "set", NetworkLab.serverInterface, "mtu", "1000")
        let server = try inNetworkNamespace(lab.server) {
            try UDPServer(endpoints: [Self.any4], answering: ScriptedAnswering(cutBytes: 0), threads: 1)
        }
        let client = try client(in: lab, to: NetworkLab.server4)
        for query in [sized(973), echo("short")] { try client.send(query) }
        let reply = try await running(server) { try client.receive() }
        #expect(reply == echo("short"))
        #expect(server.counters == UDPServer.Counters(received: 2, sent: 1, tooLong: 1))
    }

    @Test("a sender without a route loses only its own reply, and is counted")
    func noRoute() async throws {
        let lab = try NetworkLab("route")
        try lab.addClients(["198.18.0.1", "198.18.0.2"])
        try lab.serverIP("route", "add", "prohibit", "198.18.0.1/32")
        let server = try server(in: lab, [Self.any4])
        let lost = try client(in: lab, to: NetworkLab.server4, from: "198.18.0.1")
        let other = try client(in: lab, to: NetworkLab.server4, from: "198.18.0.2")
        for _ in 0..<3 {
            try lost.send(echo("lost"))
            try other.send(echo("kept"))
        }
        let replies = try await running(server) { try (0..<3).map { _ in try other.receive() } }
        #expect(replies == [echo("kept"), echo("kept"), echo("kept")])
        #expect(server.counters == UDPServer.Counters(received: 6, sent: 3, refused: 3))
    }
}

/// Sees the IP packets of its namespace.
private final class PacketSocket: Sendable {
    private let descriptor: CInt

    init() throws {
        // ETH_P_ALL in network order; SOCK_DGRAM leaves the Ethernet header out.
        descriptor = socket(AF_PACKET, Int32(SOCK_DGRAM.rawValue), Int32(UInt16(3).bigEndian))
        guard descriptor >= 0 else { throw SystemError.last("socket AF_PACKET") }
        var timeout = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    /// The next UDP packet from `port`, from its IP header on; nil when none comes in time.
    func nextReply(fromPort port: UInt16) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 65_535)
        for _ in 0..<100 {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count >= 48 else {
                if count < 0 { return nil }
                continue
            }
            let place = buffer[0] >> 4 == 4 ? 20 : 40
            if UInt16(buffer[place]) << 8 | UInt16(buffer[place + 1]) == port { return Array(buffer[..<count]) }
        }
        return nil
    }
}
