import BPFRuntime
import FastPathDriver
import Fixtures
import Glibc
import IPNetworks
import Testing

/// Sums that hardly ever come up by chance: the last carries of a checksum, and the one that would be 0.
@Suite("Parity of checksums", .serialized) @MainActor
struct ChecksumParityTests {
    init() throws {
        try #require(geteuid() == 0, "parity runs the program in the kernel: run as root")
    }

    private func frame(_ client: IPAddress, _ name: String, id: UInt16) -> Frame {
        var query = QueryBuilder(name)
        query.id = id
        let service = client.family == .v4 ? SampleModel.service4 : SampleModel.service6
        return Frame(from: client, to: service.address, query.message)
    }

    /// The UDP checksum of the program's reply.
    private func checksum(_ paths: BothPaths, _ frame: Frame) throws -> UInt16 {
        #expect(try paths.compare(frame))
        let reply = try paths.maps.program.testRun(packet: frame.bytes).packet
        let place = frame.source.family == .v4 ? 40 : 60
        return UInt16(reply[place]) << 8 | UInt16(reply[place + 1])
    }

    @Test("a checksum of 0 is sent as ffff, over both families (RFC 768; RFC 8200, section 8.1)")
    func zero() throws {
        let paths = try BothPaths()
        for client in [.v4(0x1001_0203), .v6(UInt128(0x2400) << 112 | 9)] as [IPAddress] {
            for name in ["www.example.com", "x.wild.example.com", "other.org"] {
                // With the id 0 all else adds up to the complement of this; with it as the id, to ffff.
                let other = try checksum(paths, frame(client, name, id: 0))
                #expect(try checksum(paths, frame(client, name, id: other)) == 0xffff)
                #expect(try checksum(paths, frame(client, name, id: other &- 1)) == 1)
                #expect(try checksum(paths, frame(client, name, id: other &+ 1)) == 0xfffe)
            }
        }
    }

    /// What the UDP checksum of a reply over IPv4 adds up: 32-bit words as the machine reads them, carries not yet folded.
    private func sum(_ reply: Frame) -> UInt64 {
        func sum(_ bytes: [UInt8]) -> UInt64 {
            stride(from: 0, to: bytes.count, by: 4).reduce(0) { sum, at in
                sum + bytes[at..<min(at + 4, bytes.count)].reversed().reduce(0) { $0 << 8 | UInt64($1) }
            }
        }
        let length = UInt16(8 + reply.message.count).wire
        let halves = [reply.sourcePort.wire, reply.destinationPort.wire, length, length, [0, 17]]
        return halves.reduce(sum(reply.message) + sum(reply.source.bytes) + sum(reply.destination.bytes)) {
            $0 + sum($1)
        }
    }

    /// Whether a sum still overflows 16 bits when it has been folded twice.
    private func overflowsTwice(_ sum: UInt64) -> Bool {
        let once = sum & 0xffff + sum >> 16 & 0xffff + sum >> 32
        return once & 0xffff + once >> 16 > 0xffff
    }

    /// The names take a multiple of four bytes, so that all that follows stands on whole words.
    @Test(
        "a sum with two nearly full halves keeps its last carry",
        arguments: ["abcd.other.org", "x.wild.example.com"])
    func carries(name: String) throws {
        let paths = try BothPaths()
        // The query's id is in the lower half, the last two bytes of the client's address are in the upper one.
        func reply(low: UInt16, high: UInt16) throws -> Frame {
            let query = frame(.v4(0x1001_0000 | UInt32(high.byteSwapped)), name, id: low.byteSwapped)
            #expect(try paths.compare(query))
            return try #require(Frame(bytes: paths.maps.program.testRun(packet: query.bytes).packet))
        }
        let rest = sum(try reply(low: 0, high: 0))
        let (low, high) = (~UInt16(rest & 0xffff), ~UInt16(rest >> 16 & 0xffff))
        var overflows = 0
        for first in 0..<24 as Range<UInt16> {
            for second in 0..<24 as Range<UInt16> {
                let reply = try reply(low: low &- first, high: high &- second)
                if overflowsTwice(sum(reply)) { overflows += 1 }
            }
        }
        #expect(overflows > 0)
    }
}
