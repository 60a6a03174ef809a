import CFastPathABI
import Fixtures
import Glibc
import IPNetworks
import Resolution
import Testing

/// What policies and views decide, on both paths.
@Suite("Parity of policies", .serialized) @MainActor
struct PolicyParityTests {
    private let paths: BothPaths

    init() throws {
        try #require(geteuid() == 0, "parity runs the program in the kernel: run as root")
        paths = try BothPaths()
    }

    private func frame(_ name: String, _ type: UInt16, from client: IPAddress, subnet: IPAddress? = nil) -> Frame {
        var query = QueryBuilder(name, type: type)
        if let subnet {
            var opt = QueryBuilder.OPT()
            opt.add(subnet: subnet, length: 24)
            query.opt = opt
        }
        let service = client.family == .v4 ? SampleModel.service4 : SampleModel.service6
        return Frame(from: client, to: service.address, query.message)
    }

    private func answer(_ frame: Frame) -> (verdict: Verdict, reply: [UInt8]) {
        var reply: [UInt8] = []
        let verdict = frame.message.withUnsafeBytes {
            paths.resolver.respond(to: $0, from: frame.source, over: .udp, into: &reply)
        }
        return (verdict, reply)
    }

    /// Clients all over the patchwork of places, in no view.
    private static let clients = (0..<200).map { IPAddress.v4(UInt32(18) << 24 + UInt32($0) * 0x2_8357) }

    @Test(
        "both paths agree on every policy, and the program answers where a list suffices",
        arguments: SampleModel.policyNames)
    func agreement(name: String) throws {
        var transmitted = 0
        for client in Self.clients {
            for type: UInt16 in [1, 28] where try paths.compare(frame(name, type, from: client)) { transmitted += 1 }
        }
        // A band longer than a list and minimums above 1 are user space's; so is who is refused.
        let isLeft = ["scattered.example.com", "minimum.example.com"].contains(name)
        #expect(isLeft ? transmitted == 0 : transmitted > 100)
        try paths.checkAnswersByNode()
    }

    @Test("a client that rules deny every node is refused by user space, with and without a fallback")
    func denied() throws {
        var refused = 0
        for client in Self.clients {
            let frame = frame("denied.example.com", 1, from: client)
            let isAnswered = try paths.compare(frame)
            if answer(frame).verdict == .refused {
                refused += 1
                #expect(!isAnswered)
            }
        }
        #expect(refused > 50 && refused < Self.clients.count)
    }

    @Test("senders in a view are left to user space for names with views, and for no others")
    func views() throws {
        let inside: [IPAddress] = [
            .v4(0x1020_0001), .v4(0x1100_0001), .v6(0x2400_4000 << 96 | 1), .v6(0x2400_0000 << 96 | 1),
        ]
        let outside: [IPAddress] = [.v4(0x1001_0001), .v4(0x1101_0001), .v6(0x2400_8000 << 96 | 1)]
        for client in inside {
            #expect(try !paths.compare(frame("office.example.com", 1, from: client)))
            #expect(try paths.compare(frame("www.example.com", 1, from: client)))
        }
        for client in outside {
            for name in SampleModel.viewNames { #expect(try paths.compare(frame(name, 1, from: client))) }
        }
    }

    @Test("a client subnet has no effect on views")
    func subnets() throws {
        let (inside, outside) = (IPAddress.v4(0x1020_0001), IPAddress.v4(0x1001_0001))
        #expect(try paths.compare(frame("overlay.example.com", 1, from: outside, subnet: .v4(0x1020_0000))))
        let claimed = answer(frame("overlay.example.com", 1, from: inside, subnet: .v4(0x1001_0000)))
        // Behind the address stands OPT: 11 bytes, 8 of the option and 3 of its address.
        let address = claimed.reply.dropLast(22).suffix(4)
        #expect(address.prefix(2) == [10, 64], "an address inside the overlay network")
    }

    @Test("the most specific network of a view counts")
    func nesting() {
        let office = answer(frame("office.example.com", 1, from: .v4(0x1020_0101))).reply
        let overlay = answer(frame("office.example.com", 1, from: .v4(0x1020_0201))).reply
        #expect(office[7] == 1 && office.suffix(4).prefix(2) == [0xc6, 0x12])
        #expect(overlay[7] == 2 && overlay.suffix(4).prefix(2) == [10, 64])
    }

    @Test("when no node with an overlay address is usable, clients of the view get public addresses")
    func overlayDown() {
        for node in 0..<40 where node % 5 < 2 { paths.set(node * 7 % 40, NC_NODE_DOWN) }
        let reply = answer(frame("overlay.example.com", 1, from: .v4(0x1020_0001))).reply
        #expect(reply.suffix(4).prefix(2) == [0xc6, 0x12])
    }

    @Test(
        "when all nodes are down user space answers with the fallback pool or the fallback addresses",
        arguments: [1, 28] as [UInt16])
    func allDown(type: UInt16) throws {
        for node in 0..<5 { paths.set(node * 7 % 40, NC_NODE_DOWN) }
        let client = Self.clients[0]
        for (name, isFallback) in [("fallback.example.com", true), ("sorry.example.com", false)] {
            let frame = frame(name, type, from: client)
            #expect(try !paths.compare(frame))
            let (verdict, reply) = answer(frame)
            #expect(verdict == .answeredTailored)
            let end = try #require(reply.last)
            #expect(isFallback ? (35..<40).contains(end) : end == 0xc8)
        }
        // The fallback's own nodes down too: they are answered all the same.
        for node in 35..<40 { paths.set(node * 7 % 40, NC_NODE_DOWN) }
        let reply = answer(frame("fallback.example.com", type, from: client)).reply
        #expect((35..<40).contains(try #require(reply.last)))
    }

    @Test("with too many networks of views, names that depend on them are left to user space")
    func manyNetworks() throws {
        for count in [16, 17] {
            let networks = (0..<count).map { IPPrefix(address: .v4(0x0b00_0000 + UInt32($0) << 8), length: 24) }
            let paths = try BothPaths(try SampleModel(viewNetworks: [networks, []]))
            let outside = frame("overlay.example.com", 1, from: .v4(0x1001_0001))
            #expect(try paths.compare(outside) == (count == 16))
            #expect(try paths.compare(frame("www.example.com", 1, from: .v4(0x1001_0001))))
            for network in networks {
                #expect(try !paths.compare(frame("overlay.example.com", 1, from: network.lastAddress)))
            }
        }
    }
}
