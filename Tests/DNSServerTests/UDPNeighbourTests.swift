import BPFRuntime
import DNSServer
import Fixtures
import Foundation
import IPNetworks
import Synchronization
import Testing

/// Queries from forged senders on the server's own subnet: the kernel keeps every reply for seconds, while it asks for the
/// link addresses of hosts that do not exist.
@Suite("Replies to neighbours that do not exist", .serialized) struct UDPNeighbourTests {
    private static let queriesPerSecond = 6_000
    private static let seconds = 4.0

    @Test(
        "an honest client of a subnet gets every answer during a flood from neighbours that do not exist",
        arguments: [IPFamily.v4, .v6])
    func forged(family: IPFamily) async throws {
        let lab = try NetworkLab("nbr")
        let any = SocketEndpoint(address: family == .v4 ? .v4(0) : .v6(0), port: 53)
        let server = try inNetworkNamespace(lab.server) {
            try UDPServer(endpoints: [any], answering: ScriptedAnswering(), threads: 2)
        }
        let link = try RawLink(in: lab.client, on: NetworkLab.clientInterface)
        let address = try #require(IPAddress(family == .v4 ? NetworkLab.server4 : NetworkLab.server6))
        let answered = try await running(server) {
            // The flood ends with the honest client, whose replies it must not delay.
            let flood = Flood(link, to: address)
            defer { flood.end() }
            return try Self.ask(lab, address)
        }
        #expect(answered.count == Int(Self.seconds * 20))
        #expect(answered.count { $0 } == answered.count, "answers of \(answered.count), without one each")
        #expect(server.counters.noNeighbour > 1_000, "\(server.counters)")
        #expect(server.counters.noRoom == 0, "\(server.counters)")
    }

    @Test("a stream of new senders does not fill the kernel's neighbour table, and a new client is answered")
    func table() async throws {
        let lab = try NetworkLab("nbt")
        let newcomer = try #require(IPAddress("2001:db8:53::77"))
        try lab.clientIP("addr", "add", "\(newcomer)/64", "dev", NetworkLab.clientInterface, "nodad")
        // The lab's sides know each other for good; a real client asks for the server's link address first.
        try lab.clientIP("neigh", "del", NetworkLab.server6, "dev", NetworkLab.clientInterface)
        let server = try inNetworkNamespace(lab.server) {
            try UDPServer(
                endpoints: [SocketEndpoint(address: .v6(0), port: 53)], answering: ScriptedAnswering(), threads: 2)
        }
        let link = try RawLink(in: lab.client, on: NetworkLab.clientInterface)
        let address = try #require(IPAddress(NetworkLab.server6))
        let (answered, sought) = try await running(server) {
            let flood = Flood(link, to: address, hosts: 8_000)
            defer { flood.end() }
            func sought() throws -> Int {
                try lab.serverIP("-6", "neigh", "show", "nud", "incomplete").split(separator: "\n").count
            }
            try eventually { try sought() > 60 }
            return (try Self.ask(lab, address, from: newcomer), try sought())
        }
        // Its first query comes a moment after the kernel has heard of it, which may be before the table was read again.
        #expect(answered.dropFirst().allSatisfy { $0 }, "\(answered.count { $0 }) of \(answered.count)")
        #expect(sought > 60 && sought < 600, "neighbours asked for of 1,024 that there is room for")
    }

    /// Asks 20 times a second from a socket of its own each: whether an answer came.
    private static func ask(_ lab: NetworkLab, _ server: IPAddress, from source: IPAddress? = nil) throws -> [Bool] {
        try (0..<Int(seconds * 20)).map { number in
            let client = try inNetworkNamespace(lab.client) {
                try TestSocket(
                    .udp, to: SocketEndpoint(address: server, port: 53), from: source)
            }
            let began = ContinuousClock.now
            try client.send(echo("\(number)"))
            let isAnswered = try client.receive() == echo("\(number)")
            let rest = Duration.milliseconds(50) - (ContinuousClock.now - began)
            if rest > .zero { Thread.sleep(forTimeInterval: rest / .seconds(1)) }
            return isAnswered
        }
    }

    /// Sends queries from neighbours that do not exist, for replies of 1,000 bytes, on a thread of its own.
    private final class Flood: Sendable {
        private let isEnding = Atomic(false)
        private let ended = DispatchSemaphore(value: 0)

        init(_ link: RawLink, to server: IPAddress, hosts: Int = 150) {
            let frames = (0..<hosts).map { host in
                let source: IPAddress =
                    server.family == .v4
                    ? .v4(0xc000_0200 + 90 + UInt32(host)) : .v6(0x2001_0db8_0053 << 80 | UInt128(0x1000 + host))
                return NetworkLab.serverMAC + Frame(from: source, to: server, sized(1_000)).bytes[6...]
            }
            Thread.detachNewThread { [self] in
                var next = 0
                while !isEnding.load(ordering: .relaxed) {
                    for _ in 0..<UDPNeighbourTests.queriesPerSecond / 200 {
                        link.send(frames[next % frames.count])
                        next += 1
                    }
                    Thread.sleep(forTimeInterval: 0.005)
                }
                ended.signal()
            }
        }

        func end() {
            isEnding.store(true, ordering: .relaxed)
            ended.wait()
        }
    }
}
