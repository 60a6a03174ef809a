import BPFRuntime
import CFastPathABI
import FastPathDriver
import FastPathPlan
import Fixtures
import Glibc
import IPNetworks
import Resolution
import Testing

private let xdpDrop: UInt32 = 1
private let xdpPass: UInt32 = 2

/// Limits of what is sent and of what is passed up.
@Suite("Parity of limits", .serialized) @MainActor
struct LimitParityTests {
    init() throws {
        try #require(geteuid() == 0, "parity runs the program in the kernel: run as root")
    }

    private func limit(
        _ rate: UInt16, errors: UInt16? = nil, slip: UInt8 = 2, exempt: [String] = [], isDryRun: Bool = false,
        v4PrefixLength: Int = 24
    ) -> ResponseRateLimit {
        ResponseRateLimit(
            RateLimitRule(
                responsesPerSecond: rate, errorsPerSecond: errors ?? rate, slip: slip, v4PrefixLength: v4PrefixLength,
                isDryRun: isDryRun),
            exempt: exempt.compactMap { IPPrefix($0) }, secret: 7)
    }

    private func frame(_ client: IPAddress, _ name: String = "www.example.com", cookie: [UInt8]? = nil) -> Frame {
        var query = QueryBuilder(name)
        if let cookie {
            query.opt = QueryBuilder.OPT()
            query.opt?.add(10, cookie)
        }
        let service = client.family == .v4 ? SampleModel.service4 : SampleModel.service6
        return Frame(from: client, to: service.address, query.message)
    }

    private static let clients: [IPAddress] = [.v4(0x1001_0203), .v6(UInt128(0x2400) << 112 | 9)]

    @Test(
        "replies over the limit are dropped and truncated in turn, as the resolver does",
        arguments: [0, 1, 2, 10] as [UInt8])
    func rate(slip: UInt8) throws {
        let paths = try BothPaths(settings: BothPaths.settings(rateLimit: limit(5, slip: slip)))
        for client in Self.clients {
            for _ in 0..<25 { #expect(try paths.compare(frame(client))) }
        }
        let slipped = slip == 0 ? 0 : 20 / UInt64(slip)
        #expect(try paths.counter("answered") == 10)
        #expect(try paths.counter("rate_slipped") == 2 * slipped)
        #expect(try paths.counter("rate_dropped") == 2 * (20 - slipped))
        // Of a neighbour in the same /24 or /56, and of one that is none.
        #expect(try paths.compare(frame(.v4(0x1001_02ff))) && paths.compare(frame(.v4(0x1001_0303))))
        #expect(try paths.counter("answered") == 11)
    }

    @Test("queries with a valid cookie are not limited, and BADCOOKIE is limited as an error")
    func cookies() throws {
        let paths = try BothPaths(settings: BothPaths.settings(rateLimit: limit(2, slip: 0)))
        for client in Self.clients {
            let valid = TestCookie.whole(Array(1...8), for: client, at: BothPaths.second - 1)
            for _ in 0..<9 { #expect(try paths.compare(frame(client, cookie: valid))) }
            for _ in 0..<5 { #expect(try paths.compare(frame(client, cookie: Array(1...8)))) }
            for _ in 0..<5 { #expect(try paths.compare(frame(client))) }
        }
        #expect(try paths.counter("answered") == 2 * (9 + 2))
        #expect(try paths.counter("bad_cookie") == 4)
        #expect(try paths.counter("rate_dropped") == 12)
    }

    @Test("exempt networks are not limited", arguments: ["16.0.0.0/8", "16.1.2.3/32", "2400::/16", "::/0"])
    func exempt(network: String) throws {
        let prefix = try #require(IPPrefix(network))
        let others = (0..<15).map { "192.0.\($0).0/24" }
        let paths = try BothPaths(
            settings: BothPaths.settings(rateLimit: limit(1, slip: 0, exempt: others + [network])))
        for client in Self.clients {
            for _ in 0..<4 { #expect(try paths.compare(frame(client))) }
        }
        let isV4 = prefix.family == .v4
        #expect(try paths.counter("answered") == 5)
        #expect(try paths.compare(frame(Self.clients[isV4 ? 0 : 1])))
        #expect(try paths.counter("answered") == 6)
    }

    @Test("a dry run counts what it would drop and truncate, and sends everything, on both paths")
    func dryRun() throws {
        let limit = limit(3, isDryRun: true)
        let paths = try BothPaths(settings: BothPaths.settings(rateLimit: limit))
        for _ in 0..<13 { #expect(try paths.compare(frame(Self.clients[0]))) }
        #expect(try paths.counter("answered") == 13)
        #expect(try paths.counter("rate_would_drop") == 5)
        #expect(try paths.counter("rate_would_slip") == 5)
        #expect(limit.dryRunCounts == (5, 5))
    }

    @Test("both paths share one budget for each network")
    func oneBudget() throws {
        let settings = BothPaths.settings(rateLimit: limit(6, slip: 0))
        let paths = try BothPaths(settings: settings)
        var shared = settings
        shared.rateLimit = settings.rateLimit?.counting(in: paths.maps.rateBuckets)
        let resolver = ModelResolver(model: paths.model, words: paths.maps.words, settings: shared)
        let frame = frame(Self.clients[0])
        var sent = 0
        for _ in 0..<5 {
            if try paths.maps.program.testRun(packet: frame.bytes).returnValue != xdpDrop { sent += 1 }
            var reply: [UInt8] = []
            _ = frame.message.withUnsafeBytes {
                resolver.respond(to: $0, from: frame.source, over: .udp, at: BothPaths.second, into: &reply)
            }
            if !reply.isEmpty { sent += 1 }
        }
        #expect(sent == 6)
    }

    @Test("random queries get the same replies under a tight limit")
    func randomQueries() throws {
        let paths = try BothPaths(settings: BothPaths.settings(rateLimit: limit(40, slip: 3, v4PrefixLength: 7)))
        var mixture = QueryMixture(seed: 5)
        for _ in 0..<4000 { _ = try paths.compare(mixture.frame()) }
        #expect(try paths.counter("rate_dropped") > 50 && paths.counter("rate_slipped") > 20)
    }

    @Test("switched off, the program's replies are not limited")
    func switchedOff() throws {
        var switches = FastPathSwitches()
        switches.limitsRate = false
        let paths = try BothPaths(settings: BothPaths.settings(rateLimit: limit(1)), switches: switches)
        for _ in 0..<5 { _ = try paths.maps.program.testRun(packet: frame(Self.clients[0]).bytes) }
        #expect(try paths.counter("answered") == 5)
    }

    @Test(
        "queries passed up beyond the budget of a second are dropped, or only counted in a dry run",
        arguments: [false, true])
    func passed(isDryRun: Bool) throws {
        var switches = FastPathSwitches()
        switches.passedPerSecond = 7
        switches.isPassedDryRun = isDryRun
        let paths = try BothPaths(switches: switches)
        // In one call all runs are one processor's; a second may end in between.
        let meta = Frame(
            from: Self.clients[0], to: SampleModel.service4.address, QueryBuilder("www.example.com", type: 255).message)
        let run = try paths.maps.program.testRun(packet: meta.bytes, repeat: 100)
        #expect(run.returnValue == (isDryRun ? xdpPass : xdpDrop))
        let excess = try paths.counter(isDryRun ? "pass_would_drop" : "pass_dropped")
        #expect(excess == 93 || excess == 86)
        #expect(try paths.counter("pass_question") == (isDryRun ? 100 : 100 - excess))
        // So do those that are not answered for how they came.
        var unusable = frame(Self.clients[0])
        unusable.sourcePort = 53
        var tagged = frame(Self.clients[0])
        tagged.tags = [0x88, 0xa8, 0, 5, 0x81, 0, 0, 6, 0x81, 0, 0, 7]
        let chains = (1...8).map { Self.withExtensions($0, frame(Self.clients[1]).bytes) }
        for bytes in [unusable.bytes, tagged.bytes, Self.withOptions(frame(Self.clients[0]).bytes)] + chains {
            let run = try paths.maps.program.testRun(packet: bytes, repeat: 100)
            #expect(run.returnValue == (isDryRun ? xdpPass : xdpDrop))
        }
        // What is not for the server, and what the program answers, has no part in it.
        var other = frame(Self.clients[0])
        other.destinationPort = 54
        for bytes in [other.bytes, Self.withOptions(other.bytes)] {
            #expect(try paths.maps.program.testRun(packet: bytes, repeat: 100).returnValue == xdpPass)
        }
        #expect(try paths.compare(frame(Self.clients[0])))
    }

    @Test("tagged frames that are left to the kernel count towards the budget")
    func passedTags() throws {
        var switches = FastPathSwitches()
        switches.passedPerSecond = 7
        switches.answersTagged = false
        let paths = try BothPaths(switches: switches)
        var tagged = frame(Self.clients[0])
        tagged.tags = [0x81, 0, 0, 5]
        #expect(try paths.maps.program.testRun(packet: tagged.bytes, repeat: 100).returnValue == xdpDrop)
        tagged.destinationPort = 54
        #expect(try paths.maps.program.testRun(packet: tagged.bytes, repeat: 100).returnValue == xdpPass)
    }

    @Test("errors are limited even if answers are not, on both paths")
    func errors() throws {
        let paths = try BothPaths(settings: BothPaths.settings(rateLimit: limit(0, errors: 4, slip: 2)))
        for client in Self.clients {
            for _ in 0..<12 { #expect(try paths.compare(frame(client, cookie: Array(1...8)))) }
            for _ in 0..<50 { #expect(try paths.compare(frame(client))) }
        }
        #expect(try paths.counter("bad_cookie") == 8 && paths.counter("answered") == 100)
        #expect(try paths.counter("rate_dropped") == 8 && paths.counter("rate_slipped") == 8)
    }

    /// Replies of more than the 512 bytes that every client takes, the longest that are made of nodes and of zone data, with an
    /// identifier and a subnet.
    nonisolated private static let longQueries: [(name: String, type: UInt16)] = [
        (SampleModel.longestOfMany, 28), (SampleModel.longest(below: "flood.many.test"), 1),
        (SampleModel.longest(below: "none.many.test"), 1), ("long.many.test", 1), ("hosts.many.test", 15),
    ]

    @Test(
        "a reply of exactly the client's limit is whole, and one byte longer it is truncated",
        arguments: longQueries)
    func exactLength(name: String, type: UInt16) throws {
        let paths = try BothPaths(
            SampleModel(longName: true),
            settings: BothPaths.settings(nsid: Array(repeating: 0x6e, count: 128), requiresCookie: false))
        let client = Self.clients[1]
        func reply(_ payload: UInt16) throws -> [UInt8]? {
            var query = QueryBuilder(name, type: type)
            var opt = QueryBuilder.OPT()
            opt.payload = payload
            opt.add(3, [])
            opt.add(subnet: client, length: 56)
            query.opt = opt
            let frame = Frame(from: client, to: SampleModel.service6.address, query.message)
            guard try paths.compare(frame) else { return nil }
            return try #require(Frame(bytes: paths.maps.program.testRun(packet: frame.bytes).packet)).message
        }
        func isCut(_ reply: [UInt8]) -> Bool { reply[2] & 2 != 0 }
        // What a client may take, from the least to the most that is sent: each is the resolver's, or left to it.
        for payload in 512...1233 as ClosedRange<UInt16> {
            guard let reply = try reply(payload) else { continue }
            #expect(reply.count <= payload)
        }
        guard type == 28 else { return }
        let whole = try #require(try reply(1232))
        #expect(whole.count > 513 && !isCut(whole))
        #expect(try reply(UInt16(whole.count)) == whole)
        let short = try #require(try reply(UInt16(whole.count) - 1))
        #expect(isCut(short))
    }

    /// A frame over IPv6, with so many extension headers of options behind its IP header.
    private static func withExtensions(_ count: Int, _ frame: [UInt8]) -> [UInt8] {
        var frame = frame
        frame[19] += UInt8(8 * count)
        frame[20] = 60
        let headers = (1...count).flatMap { [$0 == count ? 17 : 60, 0, 1, 4, 0, 0, 0, 0] as [UInt8] }
        frame.insert(contentsOf: headers, at: 54)
        return frame
    }

    /// A frame over IPv4, with options in its IP header.
    private static func withOptions(_ frame: [UInt8]) -> [UInt8] {
        var frame = frame
        frame[14] = 0x46
        frame[17] += 4
        frame.insert(contentsOf: [1, 1, 1, 0], at: 34)
        return frame
    }
}
