import DNSWire
import IPNetworks
import Resolution
import Testing
import Zones

@Suite("Robustness")
struct ResolverRobustnessTests {
    /// SplitMix64: a seeded generator, so that a failure can be repeated.
    private struct Generator: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var value = state
            value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
            value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
            return value ^ value >> 31
        }
    }

    private static let seeds: [[UInt8]] = [
        Query(name: "www.example.com").from("198.51.100.0/24").bytes,
        Query(name: "www.example.com", type: .aaaa).from("2001:db8::/48").bytes,
        Query(name: "static.example.com").bytes,
        Query(name: "alias2.example.com").with(dnssecOK: true).bytes, Query(name: "x.dname.example.com").bytes,
        Query(name: "www.child.example.com").with().bytes, Query(name: "a.b.wild.example.com", type: .any).bytes,
        Query(name: "missing.example.net", type: .soa).with(options: [0, 10, 0, 2, 1, 2]).bytes,
        // NSID, a cookie, keepalive and padding; a cookie with a server's, and an access list; class CH.
        Query(name: "static.example.com")
            .with(options: hex("0003 0000 000a 0008 0102030405060708 000b 0000 000c 0004 00000000")).bytes,
        Query(name: "host.example.net")
            .with(options: hex("000a 0018 2464c4abcf10c957 010000005cf79f11 1f8130c3eee29480")).bytes,
        Query(name: "version.bind", type: .txt, recordClass: .ch).with(options: hex("0003 0000 000c 0000")).bytes,
    ]

    /// With everything that a reply can carry.
    private static func server() throws -> TestServer {
        let secret = try #require(CookieSecret(Array(0..<16)))
        let settings = ProtocolSettings(
            identity: ServerIdentity(nsid: [1, 2, 3], hostname: "host", version: "version"),
            cookies: CookieKeys(secrets: [secret]), keepalive: 100)
        return try TestServer(
            settings: settings, access: [name("example.net"): AccessList(allow: [], deny: [IPPrefix("192.0.2.0/24")!])])
    }

    @Test("no mutated packet harms the resolver, and each query gets a reply with its id")
    func mutations() throws {
        let server = try Self.server()
        var generator = Generator(state: 42)
        var reply: [UInt8] = []
        for round in 0..<100_000 {
            var packet = Self.seeds[round % Self.seeds.count]
            for _ in 0..<Int.random(in: 1...6, using: &generator) { Self.mutate(&packet, &generator) }
            let transport: QueryTransport = round.isMultiple(of: 3) ? .tls : .udp
            let verdict = packet.withUnsafeBytes {
                server.resolver.respond(
                    to: $0, from: .v4(0xC000_0201), over: transport, at: 1_559_731_985, into: &reply)
            }
            let isQuery = packet.count >= 12 && packet[2] & 0x80 == 0
            guard isQuery else {
                try #require(verdict == .dropped && reply.isEmpty)
                continue
            }
            let limit = transport == .udp ? 1232 : 65_535
            try #require(
                reply.count >= 12 && reply.count <= limit && reply[..<2] == packet[..<2] && reply[2] & 0x80 != 0)
            // Reading it back stops the test where counts or names do not add up.
            let read = Reply(reply, verdict)
            try #require(read.isTruncated == (verdict == .truncated))
        }
    }

    private static func mutate(_ packet: inout [UInt8], _ generator: inout Generator) {
        guard !packet.isEmpty else { return }
        let position = Int.random(in: 0..<packet.count, using: &generator)
        switch Int.random(in: 0..<8, using: &generator) {
        case 0: packet.removeSubrange(position...)
        case 1: packet.insert(UInt8.random(in: 0...255, using: &generator), at: position)
        case 2: packet.remove(at: position)
        case 3: packet += packet[position...]
        case 4: packet[position] ^= 1 << UInt8.random(in: 0...7, using: &generator)
        default: packet[position] = [0, 1, 0x3F, 0x40, 0xC0, 0xFF, 12, 41].randomElement(using: &generator) ?? 0
        }
    }
}
