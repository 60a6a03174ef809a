import BPFRuntime
import FastPathDriver
import FastPathPlan
import Fixtures
import Glibc
import IPNetworks
import Testing

private let xdpPass: UInt32 = 2
private let xdpTransmit: UInt32 = 3

/// A frame that is not the program's, made from one that is.
struct PassedFrame: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let counter: String
    let bytes: [UInt8]

    init(_ description: String, _ counter: String, _ family: IPFamily = .v4, _ change: (inout [UInt8]) -> Void) {
        testDescription = description
        self.counter = counter
        let (client, server): (IPAddress, SocketEndpoint) =
            family == .v4
            ? (.v4(0x1100_0203), SampleModel.service4) : (.v6(0x2400 << 112 | 9), SampleModel.service6)
        var bytes = Frame(from: client, to: server.address, query("www.example.com")).bytes
        change(&bytes)
        self.bytes = bytes
    }

    /// The host's addresses while these frames come, as the program knows them: 17.0.2.53, and 17.0.2.255.
    static let own: [UInt8] = mapped([17, 0, 2, 53])
    static let broadcast: [UInt8] = mapped([17, 0, 2, 255])

    private static func mapped(_ address: [UInt8]) -> [UInt8] {
        [UInt8](repeating: 0, count: 10) + [255, 255] + address
    }

    static let all = [
        PassedFrame("a tag of another kind", "pass_other") { $0.insert(contentsOf: [0x91, 0, 0, 5], at: 12) },
        PassedFrame("three VLAN tags", "pass_datagram") {
            $0.insert(contentsOf: [0x88, 0xa8, 0, 5, 0x81, 0, 0, 6, 0x81, 0, 0, 7], at: 12)
        },
        PassedFrame("eight VLAN tags", "pass_datagram") {
            for _ in 0..<8 { $0.insert(contentsOf: [0x81, 0, 0, 5], at: 12) }
        },
        PassedFrame("nine VLAN tags", "pass_other") {
            for _ in 0..<9 { $0.insert(contentsOf: [0x81, 0, 0, 5], at: 12) }
        },
        PassedFrame("three VLAN tags, and another port", "pass_other") {
            $0[37] = 54
            $0.insert(contentsOf: [0x88, 0xa8, 0, 5, 0x81, 0, 0, 6, 0x81, 0, 0, 7], at: 12)
        },
        PassedFrame("a tag and nothing more", "pass_other") { $0.replaceSubrange(12..., with: [0x81, 0, 0, 5]) },
        PassedFrame("ARP", "pass_other") { $0.replaceSubrange(12..<14, with: [0x08, 0x06]) },
        PassedFrame("TCP", "pass_other") { $0[23] = 6 },
        PassedFrame("IPv4 options", "pass_datagram") {
            $0[14] = 0x46
            $0[17] += 4
            $0.insert(contentsOf: [1, 1, 1, 0], at: 34)
        },
        PassedFrame("IPv4 options, and another port", "pass_other") {
            $0[14] = 0x46
            $0[17] += 4
            $0.insert(contentsOf: [1, 1, 1, 0], at: 34)
            $0[41] = 54
        },
        PassedFrame("IPv4 options that the frame does not hold", "pass_frame") { $0[14] = 0x4f },
        PassedFrame("IP version 5", "pass_frame") { $0[14] = 0x55 },
        PassedFrame("the first fragment", "pass_datagram") { $0[20] = 0x20 },
        PassedFrame("the first fragment of another port's", "pass_other") {
            $0[20] = 0x20
            $0[37] = 54
        },
        PassedFrame("a later fragment", "pass_frame") { $0[21] = 1 },
        PassedFrame("a UDP length below IP's", "pass_datagram") { $0[39] -= 1 },
        PassedFrame("a UDP length above IP's", "pass_datagram") { $0[39] += 1 },
        PassedFrame("an IP length above the frame's", "pass_frame") {
            $0[17] += 8
            $0[39] += 8
        },
        PassedFrame("a source in 0.0.0.0/8", "pass_datagram") { $0[26] = 0 },
        PassedFrame("a loopback source", "pass_datagram") { $0[26] = 127 },
        PassedFrame("a multicast source", "pass_datagram") { $0[26] = 224 },
        PassedFrame("the broadcast address as source", "pass_datagram") {
            $0.replaceSubrange(26..<30, with: [255, 255, 255, 255])
        },
        PassedFrame("source port 0", "pass_datagram") { $0.replaceSubrange(34..<36, with: [0, 0]) },
        PassedFrame("source port 53", "pass_datagram") { $0.replaceSubrange(34..<36, with: [0, 53]) },
        PassedFrame("source port 1023", "pass_datagram") { $0.replaceSubrange(34..<36, with: [3, 255]) },
        PassedFrame("a broadcast frame", "pass_datagram") {
            $0.replaceSubrange(0..<6, with: [UInt8](repeating: 255, count: 6))
        },
        PassedFrame("another address", "pass_other") { $0[33] = 54 },
        PassedFrame("another port", "pass_other") { $0[37] = 54 },
        PassedFrame("the host's own address as source", "pass_datagram") {
            $0.replaceSubrange(26..<30, with: own[12...])
        },
        PassedFrame("the broadcast address of a network of the host's as source", "pass_datagram") {
            $0.replaceSubrange(26..<30, with: broadcast[12...])
        },
        PassedFrame("another host's link address", "pass_other") { $0[5] = 99 },
        PassedFrame("another host's link address, and IPv4 options", "pass_other") {
            $0[5] = 99
            $0[14] = 0x46
            $0[17] += 4
            $0.insert(contentsOf: [1, 1, 1, 0], at: 34)
        },
        PassedFrame("an IPv6 hop-by-hop header", "pass_datagram", .v6) { $0.insert(0, [17, 0, 1, 4, 0, 0, 0, 0]) },
        PassedFrame("an IPv6 hop-by-hop header, and another port", "pass_other", .v6) {
            $0.insert(0, [17, 0, 1, 4, 0, 0, 0, 0])
            $0[65] = 54
        },
        PassedFrame("four IPv6 extension headers, one of them long", "pass_datagram", .v6) {
            $0.insert(60, [17, 1, 1, 12] + [UInt8](repeating: 0, count: 12))
            for _ in 0..<2 { $0.insert(60, [60, 0, 1, 4, 0, 0, 0, 0]) }
            $0.insert(43, [60, 0, 0, 0, 0, 0, 0, 0])
        },
        PassedFrame("five IPv6 extension headers", "pass_datagram", .v6) {
            $0.insert(60, [17, 0, 1, 4, 0, 0, 0, 0])
            for _ in 0..<4 { $0.insert(60, [60, 0, 1, 4, 0, 0, 0, 0]) }
        },
        PassedFrame("seven IPv6 extension headers, and another address", "pass_other", .v6) {
            $0[53] = 54
            $0.insert(60, [17, 0, 1, 4, 0, 0, 0, 0])
            for _ in 0..<6 { $0.insert(60, [60, 0, 1, 4, 0, 0, 0, 0]) }
        },
        PassedFrame("an IPv6 checksum of zero", "pass_datagram", .v6) { $0.replaceSubrange(60..<62, with: [0, 0]) },
        PassedFrame("the first IPv6 fragment", "pass_datagram", .v6) { $0.insert(44, [17, 0, 0, 1, 0, 0, 0, 7]) },
        PassedFrame("a later IPv6 fragment", "pass_frame", .v6) { $0.insert(44, [17, 0, 0, 8, 0, 0, 0, 7]) },
        PassedFrame("an IPv6 extension header around TCP", "pass_other", .v6) {
            $0.insert(0, [6, 0, 1, 4, 0, 0, 0, 0])
        },
        PassedFrame("an IPv6 extension header that the frame does not hold", "pass_frame", .v6) {
            $0.insert(0, [17, 255, 1, 4, 0, 0, 0, 0])
        },
        PassedFrame("an unspecified IPv6 source", "pass_datagram", .v6) {
            $0.replaceSubrange(22..<38, with: [UInt8](repeating: 0, count: 16))
        },
        PassedFrame("a multicast IPv6 source", "pass_datagram", .v6) { $0[22] = 0xff },
        PassedFrame("a UDP length below IPv6's", "pass_datagram", .v6) { $0[59] -= 1 },
        PassedFrame("an Ethernet header alone", "pass_other") { $0.removeSubrange(14...) },
        PassedFrame("half an IPv4 header", "pass_other") { $0.removeSubrange(24...) },
        PassedFrame("half a UDP header", "pass_frame") { $0.removeSubrange(38...) },
    ]
}

extension [UInt8] {
    /// Puts an extension header of a protocol behind the IPv6 header of a frame.
    fileprivate mutating func insert(_ number: UInt8, _ header: [UInt8]) {
        self[20] = number
        self[19] += UInt8(header.count)
        insert(contentsOf: header, at: 54)
    }
}

extension Kernel {
    @Suite(.serialized) @MainActor struct Frames {
        private func load(_ name: String) throws -> LiveFastPath { try LiveFastPath("frames-\(name)") }

        @Test("frames that are not plain datagrams to a service pass unchanged, and each is counted by its reason")
        func passed() throws {
            let path = try load("passed")
            let maps = try #require(path.maps)
            let program = maps.program
            // Test runs come by the loopback interface.
            maps.setStation(links: [1: Frame.serverMAC], addresses: [PassedFrame.own, PassedFrame.broadcast])
            for frame in PassedFrame.all {
                let before = try path.counter(frame.counter)
                let run = try program.testRun(packet: frame.bytes)
                #expect(run.returnValue == xdpPass, "\(frame.testDescription)")
                #expect(run.packet == frame.bytes, "\(frame.testDescription)")
                #expect(try path.counter(frame.counter) == before + 1, "\(frame.testDescription)")
            }
            #expect(try path.counter("answered") == 0)
            let plain = PassedFrame("plain", "") { _ in }
            #expect(try program.testRun(packet: plain.bytes).returnValue == xdpTransmit)
        }

        @Test("a sender that is in the filter but not in the list is answered")
        func filter() throws {
            let path = try load("filter")
            let maps = try #require(path.maps)
            // As many as there are places: every bit is set.
            let addresses = (0..<256).map { Array(PassedFrame.own.dropLast(2)) + [UInt8($0), 0] }
            maps.setStation(links: [:], addresses: addresses)
            for host: UInt8 in 0..<64 {
                let frame = PassedFrame("plain", "") { $0.replaceSubrange(26..<30, with: [17, 0, host, 1]) }
                #expect(try maps.program.testRun(packet: frame.bytes).returnValue == xdpTransmit)
                let own = PassedFrame("own", "") { $0.replaceSubrange(26..<30, with: [17, 0, host, 0]) }
                #expect(try maps.program.testRun(packet: own.bytes).returnValue == xdpPass)
            }
        }

        @Test("over an interface, only frames to its current link address are answered")
        func misdirected() throws {
            let path = try load("misdirected")
            let link = try RawLink(in: path.lab.client, on: NetworkLab.clientInterface)
            // Frames to other hosts reach the server, as they do on a port that sees all traffic.
            try path.lab.serverIP("link", "set", NetworkLab.serverInterface, "promisc", "on")
            func isAnswered(_ address: [UInt8]) throws -> Bool {
                nonisolated(unsafe) let maps = try #require(path.maps)
                try inNetworkNamespace(path.lab.server) {
                    maps.setStation(of: [NetworkLab.serverInterface], try HostAddresses())
                }
                let frame = Frame(
                    from: .v4(0x1100_0203), to: SampleModel.service4.address, query("www.example.com"))
                return link.ask(frame, as: address + frame.bytes[6...]) != nil
            }
            let other: [UInt8] = [2, 0xde, 0xad, 0xbe, 0xef, 1]
            #expect(try isAnswered(NetworkLab.serverMAC))
            #expect(try !isAnswered(other))
            try path.lab.serverIP("link", "set", NetworkLab.serverInterface, "address", "02:de:ad:be:ef:01")
            #expect(try isAnswered(other))
            #expect(try !isAnswered(NetworkLab.serverMAC))
            #expect(try path.counter("answered") == 2)
        }

        @Test("padding after the datagram is ignored", arguments: [1, 4, 46])
        func padding(count: Int) throws {
            let path = try load("padding")
            let message = query("www.example.com")
            let source = IPAddress.v4(0x1100_0203)
            let frame = Frame(from: source, to: SampleModel.service4.address, message).bytes
            let padded = frame + [UInt8](repeating: 0xaa, count: count)
            let run = try #require(path.maps).program.testRun(packet: padded)
            #expect(run.returnValue == xdpTransmit)
            #expect(Frame(bytes: run.packet)?.message == answer(path.resolver, message, source))
        }
    }
}
