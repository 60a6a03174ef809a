import BPFRuntime
import FastPath
import Fixtures
import Glibc
import IPNetworks
import MapWriter
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

    static let all = [
        PassedFrame("a tag of another kind", "pass_other") { $0.insert(contentsOf: [0x91, 0, 0, 5], at: 12) },
        PassedFrame("three VLAN tags", "pass_other") {
            $0.insert(contentsOf: [0x88, 0xa8, 0, 5, 0x81, 0, 0, 6, 0x81, 0, 0, 7], at: 12)
        },
        PassedFrame("a tag and nothing more", "pass_other") { $0.replaceSubrange(12..., with: [0x81, 0, 0, 5]) },
        PassedFrame("ARP", "pass_other") { $0.replaceSubrange(12..<14, with: [0x08, 0x06]) },
        PassedFrame("TCP", "pass_other") { $0[23] = 6 },
        PassedFrame("IPv4 options", "pass_frame") {
            $0[14] = 0x46
            $0[17] += 4
            $0.insert(contentsOf: [1, 1, 1, 0], at: 34)
        },
        PassedFrame("IP version 5", "pass_frame") { $0[14] = 0x55 },
        PassedFrame("the first fragment", "pass_frame") { $0[20] = 0x20 },
        PassedFrame("a later fragment", "pass_frame") { $0[21] = 1 },
        PassedFrame("a UDP length below IP's", "pass_frame") { $0[39] -= 1 },
        PassedFrame("a UDP length above IP's", "pass_frame") { $0[39] += 1 },
        PassedFrame("an IP length above the frame's", "pass_frame") {
            $0[17] += 8
            $0[39] += 8
        },
        PassedFrame("a source in 0.0.0.0/8", "pass_frame") { $0[26] = 0 },
        PassedFrame("a loopback source", "pass_frame") { $0[26] = 127 },
        PassedFrame("a multicast source", "pass_frame") { $0[26] = 224 },
        PassedFrame("source port 0", "pass_frame") { $0.replaceSubrange(34..<36, with: [0, 0]) },
        PassedFrame("source port 53", "pass_frame") { $0.replaceSubrange(34..<36, with: [0, 53]) },
        PassedFrame("a broadcast frame", "pass_frame") {
            $0.replaceSubrange(0..<6, with: [UInt8](repeating: 255, count: 6))
        },
        PassedFrame("another address", "pass_other") { $0[33] = 54 },
        PassedFrame("another port", "pass_other") { $0[37] = 54 },
        PassedFrame("an IPv6 hop-by-hop header", "pass_other", .v6) { $0[20] = 0 },
        PassedFrame("an IPv6 fragment", "pass_other", .v6) { $0[20] = 44 },
        PassedFrame("an unspecified IPv6 source", "pass_frame", .v6) {
            $0.replaceSubrange(22..<38, with: [UInt8](repeating: 0, count: 16))
        },
        PassedFrame("a multicast IPv6 source", "pass_frame", .v6) { $0[22] = 0xff },
        PassedFrame("a UDP length below IPv6's", "pass_frame", .v6) { $0[59] -= 1 },
        PassedFrame("an Ethernet header alone", "pass_other") { $0.removeSubrange(14...) },
        PassedFrame("half an IPv4 header", "pass_other") { $0.removeSubrange(24...) },
        PassedFrame("half a UDP header", "pass_frame") { $0.removeSubrange(38...) },
    ]
}

extension Kernel {
    @Suite(.serialized) @MainActor struct Frames {
        private func load(_ name: String) throws -> LiveFastPath { try LiveFastPath("frames-\(name)") }

        @Test("frames that are not plain datagrams to a service pass untouched, each by its reason")
        func passed() throws {
            let path = try load("passed")
            let program = try #require(path.maps).program
            for frame in PassedFrame.all {
                let before = try path.counter(frame.counter)
                let run = try program.testRun(packet: frame.bytes)
                #expect(run.returnValue == xdpPass, "\(frame.testDescription)")
                #expect(run.packet == frame.bytes, "\(frame.testDescription)")
                #expect(try path.counter(frame.counter) == before + 1, "\(frame.testDescription)")
            }
            #expect(try path.counter("answered") == 0)
        }

        @Test("padding behind the datagram is no part of it", arguments: [1, 4, 46])
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
