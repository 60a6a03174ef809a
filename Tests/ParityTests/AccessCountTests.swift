import BPFRuntime
import CFastPathABI
import CountedObject
import FastPathDriver
import Fixtures
import Glibc
import IPNetworks
import Resolution
import Testing

/// The cost of queries in memory accesses, not in time. A change that adds a lookup has to change this table.
@Suite("Memory accesses", .serialized) @MainActor
struct AccessCountTests {
    /// As `struct nc_accesses` of `bpf/accesses.h`.
    struct Accesses: Equatable, CustomStringConvertible {
        var cells: UInt64
        var lookups: UInt64
        var clocks: UInt64
        var frames: UInt64

        init(_ cells: UInt64, _ lookups: UInt64, _ clocks: UInt64, _ frames: UInt64) {
            (self.cells, self.lookups, self.clocks, self.frames) = (cells, lookups, clocks, frames)
        }

        init(_ bytes: [UInt8]) {
            let words = bytes.withUnsafeBytes { bytes in
                (0..<4).map { bytes.loadUnaligned(fromByteOffset: 8 * $0, as: UInt64.self) }
            }
            self.init(words[0], words[1], words[2], words[3])
        }

        static func - (left: Accesses, right: Accesses) -> Accesses {
            Accesses(
                left.cells - right.cells, left.lookups - right.lookups, left.clocks - right.clocks,
                left.frames - right.frames)
        }

        var description: String { "Accesses(\(cells), \(lookups), \(clocks), \(frames))" }
    }

    /// A kind of query with its verdict and its price, once its network has asked before: cells of tables, look-ups in maps with
    /// those, readings of the clock, calls for the frame.
    struct Kind: CustomTestStringConvertible {
        let testDescription: String
        let verdict: String
        let accesses: Accesses
        let frame: Frame
        let isFirst: Bool

        init(
            _ description: String, _ verdict: String, _ accesses: Accesses, _ name: String, _ type: UInt16 = 1,
            isV6: Bool = false, isFirst: Bool = false, _ change: (inout QueryBuilder.OPT) -> Void? = { _ in nil }
        ) {
            testDescription = description
            self.isFirst = isFirst
            self.verdict = verdict
            self.accesses = accesses
            var query = QueryBuilder(name, type: type)
            var opt = QueryBuilder.OPT()
            if change(&opt) != nil { query.opt = opt }
            frame = Frame(
                from: isV6 ? .v6(UInt128(0x2400) << 112 | 9) : .v4(isFirst ? 0x1155_0203 : 0x1100_0203),
                to: (isV6 ? SampleModel.service6 : SampleModel.service4).address, query.message)
        }
    }

    private static let secondsOld: UInt32 = 5
    private static let cookie = TestCookie.whole(
        Array(1...8), for: .v4(0x1100_0203), at: BothPaths.second - secondsOld)

    static let kinds = [
        Kind("A of a tailored name", "answered", Accesses(6, 18, 0, 1), "www.example.com"),
        Kind(
            "the same, of a network that has not asked before", "answered", Accesses(8, 21, 0, 1), "www.example.com",
            isFirst: true),
        Kind("with a client subnet", "answered", Accesses(6, 18, 0, 1), "www.example.com") {
            $0.add(subnet: .v4(0x1203_0400), length: 24)
        },
        Kind("AAAA over IPv6, with one of IPv6", "answered", Accesses(13, 25, 0, 1), "www.example.com", 28, isV6: true)
        {
            $0.add(subnet: .v6(UInt128(0x2400_0000_1200) << 80), length: 56)
        },
        Kind("with a valid cookie", "answered", Accesses(6, 19, 1, 1), "www.example.com") { $0.add(10, cookie) },
        Kind("with a client's cookie", "answered", Accesses(6, 19, 1, 1), "www.example.com") {
            $0.add(10, Array(1...8))
        },
        Kind("three addresses", "answered", Accesses(9, 21, 0, 1), "three.example.com"),
        Kind("two addresses, by weights", "answered", Accesses(8, 20, 0, 1), "bands.example.com"),
        Kind("a long tailored name", "answered", Accesses(7, 19, 0, 1), SampleModel.names[8]),
        Kind("A of a zone", "answered", Accesses(3, 12, 0, 1), "box.many.test"),
        Kind("no data", "answered", Accesses(4, 12, 0, 1), "box.many.test", 16),
        Kind("a name that does not exist", "answered", Accesses(12, 33, 0, 1), "none.ent.many.test"),
        Kind("one far below", "answered", Accesses(14, 39, 0, 1), "a.b.c.d.e.f.none.ent.many.test"),
        Kind("a wildcard's", "answered", Accesses(10, 31, 0, 1), "x.wild.many.test"),
        Kind("a referral", "answered", Accesses(5, 14, 0, 1), "cut.many.test"),
        Kind("an alias to a node", "answered", Accesses(12, 31, 0, 1), "away.example.com", 5),
        Kind("and where it leads", "answered", Accesses(13, 33, 0, 1), "cdn.example.com"),
        Kind("services of five nodes", "answered", Accesses(21, 36, 0, 1), "_sip._udp.example.com", 33),
        Kind(
            "a binding, with the addresses of both families", "answered", Accesses(19, 45, 0, 1), "www.example.com", 65),
        Kind("cut", "truncated", Accesses(3, 11, 0, 0), "huge.many.test"),
        Kind("refused", "answered", Accesses(8, 25, 0, 0), "www.other.org"),
        Kind("refused, with EDNS", "answered", Accesses(8, 27, 0, 1), "www.other.org") { $0.payload = 1232 },
        Kind("left to user space by its type", "pass_question", Accesses(0, 3, 0, 0), "www.example.com", 255),
        Kind("left by its name", "pass_name", Accesses(10, 29, 0, 0), "x.dname.example.com"),
        Kind("left by its options", "pass_edns", Accesses(0, 3, 0, 0), "www.example.com") { $0.version = 1 },
        Kind("left by the sender's view", "pass_view", Accesses(2, 8, 0, 0), "overlay.example.com"),
    ]

    init() throws {
        try #require(geteuid() == 0, "the program runs in the kernel: run as root")
    }

    @Test("each kind of query costs the listed number of reads and kernel calls")
    func accesses() throws {
        let paths = try BothPaths(
            settings: BothPaths.settings(requiresCookie: false), object: CountedObject.bytes)
        let map = try BPFMap.openPinned("\(paths.maps.path)/accesses")
        for kind in Self.kinds {
            if !kind.isFirst { _ = try paths.maps.program.testRun(packet: kind.frame.bytes) }
            let counted = try paths.counter(kind.verdict)
            let before = try Accesses(#require(try map.lookup(index: 0)))
            _ = try paths.maps.program.testRun(packet: kind.frame.bytes)
            let spent = try Accesses(#require(try map.lookup(index: 0))) - before
            #expect(try paths.counter(kind.verdict) == counted + 1, "\(kind.testDescription)")
            #expect(spent == kind.accesses, "\(kind.testDescription): \(spent)")
        }
    }
}
