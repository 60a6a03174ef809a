import DNSWire
import Foundation
import Testing
import Zones

/// Names that somebody has chosen so that their hashes meet, under the unkeyed hash that this table once had (FNV-1a).
@Suite("Names chosen by an attacker")
struct ChosenNamesTests {
    private static let count = 16_000

    /// Running hash of the wire form, label by label from the root.
    private static func hash(_ bytes: some Sequence<UInt8>, after state: UInt64 = 0xCBF2_9CE4_8422_2325) -> UInt64 {
        bytes.reduce(state) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
    }

    /// First labels whose names below example.com stood in 16 neighbouring slots of 65,536.
    private static func chosen() -> [[UInt8]] {
        let apex = hash([7] + Array("example".utf8), after: hash([3] + Array("com".utf8)))
        var (labels, number): ([[UInt8]], UInt64) = ([], 0)
        while labels.count < count {
            number += 1
            var (label, rest) = ([8] as [UInt8], number)
            for _ in 0..<8 {
                label.append(UInt8(ascii: "a") + UInt8(rest % 26))
                rest /= 26
            }
            let state = hash(label, after: apex)
            if UInt32(truncatingIfNeeded: state ^ state >> 32) & 0xffff < 16 { labels.append(label) }
        }
        return labels
    }

    /// The CPU time of this thread. It does not depend on what else the machine does.
    private static func cpuTime() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    private static func build(_ labels: [[UInt8]]) throws -> (zone: Zone, time: Duration) {
        var builder = ZoneBuilder(apex: name("example.com"))
        let soa = name("ns.example.com").wire + name("admin.example.com").wire + Array(repeating: 0, count: 20)
        try builder.add(ResourceRecord(owner: name("example.com"), type: .soa, ttl: 60, data: soa))
        let began = cpuTime()
        for label in labels {
            let owner = name(String(decoding: label.dropFirst(), as: UTF8.self) + ".example.com")
            try builder.add(ResourceRecord(owner: owner, type: .a, ttl: 60, data: [192, 0, 2, 1]))
        }
        return (try builder.build(), cpuTime() - began)
    }

    @Test("they take no longer to build than others, and are all found")
    func build() throws {
        let chosen = Self.chosen()
        var number = 0
        let plain = chosen.map { _ in
            number += 1
            return [8] + Array("n\(1_000_000 + number)".utf8)
        }
        // The quickest of three: other threads share caches and cores.
        let others = try (0..<3).map { _ in try Self.build(plain).time }.min() ?? .zero
        let built = try Self.build(chosen)
        let time = try (0..<2).map { _ in try Self.build(chosen).time }.reduce(built.time, min)
        #expect(built.zone.nameCount == Self.count + 1)
        #expect(
            chosen.allSatisfy {
                built.zone.hasRRset(name(String(decoding: $0.dropFirst(), as: UTF8.self) + ".example.com"), .a)
            })
        #expect(time < others * 4 + .milliseconds(50), "\(time), others \(others)")
    }
}
