import DNSWire
import IPNetworks
import Resolution
import Testing

@Suite("Ports of services")
struct SenderPortTests {
    private static let garbage: [[UInt8]] = [
        // Of a character generator (RFC 864), a TFTP error, NTP, a query of two questions, UPDATE, EDNS version 1.
        Array(" !\"#$%&'()*+,-./0123456789".utf8), [0, 5, 0, 4] + Array("Unknown ID".utf8) + [0],
        [0x23, 2, 0, 0] + [UInt8](repeating: 0, count: 44),
        hex("1234 0100 0002 0000 0000 0000 00 0001 0001 00 0001 0001"),
        Query(flags: 0x2800, name: "static.example.com").bytes,
        hex("1234 0100 0001 0000 0000 0001 00 0001 0001 00 0029 04d0 00 01 0000 0000"),
    ]

    private func reply(
        _ packet: [UInt8], from port: UInt16, over transport: QueryTransport = .udp
    ) throws -> (verdict: Verdict, bytes: [UInt8]) {
        var bytes: [UInt8] = [1]
        let server = try TestServer()
        let verdict = packet.withUnsafeBytes {
            server.resolver.respond(
                to: $0, from: .v4(0xcb00_7109), port: port, over: transport, into: &bytes)
        }
        return (verdict, bytes)
    }

    @Test(
        "packets from ports of services that answer every datagram get no reply",
        arguments: [0, 7, 13, 17, 19, 37])
    func shunned(port: UInt16) throws {
        for packet in Self.garbage + [Query(name: "static.example.com").bytes] {
            let reply = try reply(packet, from: port)
            #expect(reply.verdict == .servicePort && reply.bytes.isEmpty)
        }
    }

    @Test(
        "from other ports of services only a valid query is answered",
        arguments: [1, 53, 69, 123, 464, 1023])
    func wellKnown(port: UInt16) throws {
        for packet in Self.garbage {
            let reply = try reply(packet, from: port)
            #expect(reply.verdict == .servicePort && reply.bytes.isEmpty, "\(packet)")
        }
        for name in ["static.example.com", "missing.example.com", "example.org"] {
            let packet = Query(name: name).bytes
            #expect(try reply(packet, from: port) == reply(packet, from: 40_000), "\(name)")
            #expect(try !reply(packet, from: port).bytes.isEmpty)
        }
    }

    @Test("from client ports, and over TCP, errors are answered", arguments: [19, 53, 1024])
    func clients(port: UInt16) throws {
        for packet in Self.garbage {
            let reply = try reply(packet, from: port, over: port < 1024 ? .tcp : .udp)
            #expect(reply.verdict != .servicePort && !reply.bytes.isEmpty, "\(packet)")
        }
    }
}
