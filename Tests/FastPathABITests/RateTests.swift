import CFastPathABI
import Testing

/// A token bucket as its description has it, with fields for what the word packs.
private struct Bucket {
    var second: UInt32
    var tokens: Int
    var limited: Int
    var tag: UInt32

    var word: UInt64 { UInt64(second) << 32 | UInt64(tokens) << 16 | UInt64(limited) << 12 | UInt64(tag) }

    /// What becomes of a reply of a key in a second, 0 sent, 1 cut, 2 dropped.
    mutating func take(_ tag: UInt32, _ now: UInt32, rate: Int, slip: Int) -> UInt32 {
        let elapsed = Int(Int32(bitPattern: now &- second))
        if tag != self.tag || elapsed < 0 || word == 0 {
            (tokens, limited) = (rate, 0)
        } else {
            tokens = min(rate, tokens + elapsed * rate)
        }
        (second, self.tag) = (now, tag)
        guard tokens == 0 else {
            tokens -= 1
            return 0
        }
        guard slip > 0 else {
            limited = 0
            return 2
        }
        limited += 1
        guard limited >= slip else { return 2 }
        limited = 0
        return 1
    }
}

@Suite("Buckets of the rate limit")
struct RateTests {
    private static let noon: UInt32 = 1_700_000_000

    private func word(_ second: UInt32, tokens: UInt64, limited: UInt64 = 0, tag: UInt64) -> UInt64 {
        UInt64(second) << 32 | tokens << 16 | limited << 12 | tag
    }

    @Test("a bucket is a second, tokens, replies over the limit and a tag, and a reply takes a token")
    func layout() {
        let visit = nc_rate_take(word(Self.noon, tokens: 7, limited: 3, tag: 0xabc), 0xabc, Self.noon, 9, 5)
        #expect(visit.outcome == NC_RATE_SEND.rawValue)
        #expect(visit.word == word(Self.noon, tokens: 6, limited: 3, tag: 0xabc))
    }

    @Test(
        "another key's bucket begins full, whatever bit of the tag differs",
        arguments: (0..<12).map { 0xabc ^ UInt32(1) << $0 })
    func tags(tag: UInt32) {
        let spent = word(Self.noon, tokens: 0, limited: 3, tag: 0xabc)
        #expect(nc_rate_take(spent, 0xabc, Self.noon, 9, 0).outcome == NC_RATE_DROP.rawValue)
        let visit = nc_rate_take(spent, tag, Self.noon, 9, 0)
        #expect(visit.outcome == NC_RATE_SEND.rawValue)
        #expect(visit.word == word(Self.noon, tokens: 8, tag: UInt64(tag)))
    }

    @Test("an untouched bucket is full, also for the tag 0 in the second 0")
    func untouched() {
        for (tag, now) in [(0, 0), (0, Self.noon), (7, 0)] as [(UInt32, UInt32)] {
            let visit = nc_rate_take(0, tag, now, 3, 2)
            #expect(visit.outcome == NC_RATE_SEND.rawValue && visit.word == word(now, tokens: 2, tag: UInt64(tag)))
        }
    }

    @Test(
        "so many tokens come each second, and a pause saves no more",
        arguments: [
            (0, 5, 5), (0, 2, 2), (1, 2, 5), (1, 0, 5), (2, 0, 5), (3600, 0, 5), (0x7fff_ffff, 0, 5),
            // The clock was set back by a second, and by as much as 31 bits tell from an advance.
            (0xffff_ffff, 0, 5), (0x8000_0000, 0, 5),
        ] as [(UInt32, UInt64, UInt64)])
    func tokens(elapsed: UInt32, before: UInt64, after: UInt64) {
        let visit = nc_rate_take(word(Self.noon, tokens: before, tag: 1), 1, Self.noon &+ elapsed, 5, 0)
        #expect(visit.outcome == NC_RATE_SEND.rawValue)
        #expect(visit.word >> 16 & 0xffff == after - 1)
        #expect(UInt32(visit.word >> 32) == Self.noon &+ elapsed)
    }

    @Test(
        "of the replies over the limit every so manieth is cut, counted within four bits",
        arguments: 0...10 as ClosedRange<UInt32>)
    func slip(slip: UInt32) {
        var bucket = word(Self.noon, tokens: 0, tag: 1)
        var outcomes: [UInt32] = []
        for _ in 0..<100 {
            let visit = nc_rate_take(bucket, 1, Self.noon, 9, slip)
            outcomes.append(visit.outcome)
            bucket = visit.word
            #expect(bucket & 0xfff == 1 && bucket >> 16 & 0xffff == 0, "nothing flows into other fields")
        }
        let expected = (1...100).map { slip > 0 && $0 % Int(slip) == 0 ? NC_RATE_SLIP.rawValue : NC_RATE_DROP.rawValue }
        #expect(outcomes == expected)
    }

    @Test("a bucket goes through 20,000 random visits as its description says", arguments: 1...5 as ClosedRange<UInt64>)
    func random(seed: UInt64) {
        var random = Numbers(seed)
        var bucket = Bucket(second: 0, tokens: 0, limited: 0, tag: 0)
        var now: UInt32 = seed == 5 ? .max - 100 : Self.noon
        var outcomes: [UInt32: Int] = [:]
        for visit in 0..<20_000 {
            now = now &+ (random.next() % 8 == 0 ? UInt32(random.next() % 3) : 0)
            if random.next() % 500 == 0 { now = now &- UInt32(random.next() % 3) }
            let tag = random.next() % 100 == 0 ? UInt32(random.next() % 4096) : 77
            let (rate, slip) = (visit < 10_000 ? 3 : 65_535, Int(random.next() % 11))
            let before = bucket.word
            let expected = bucket.take(tag, now, rate: rate, slip: slip)
            let result = nc_rate_take(before, tag, now, UInt32(rate), UInt32(slip))
            #expect(result.outcome == expected && result.word == bucket.word)
            outcomes[expected, default: 0] += 1
        }
        #expect((0...2).allSatisfy { outcomes[$0] ?? 0 > 500 })
    }

    @Test("networks, families, classes and secrets have keys of their own")
    func keys() {
        let networks: [nc_address] = [
            .v4(0xc000_0200), .v4(0xc000_0300), .v6(0xc000_0200_0000_0000), .v6(0, 1), .v6(1, 0),
        ]
        var keys: Set<UInt64> = []
        for secret in [0x5ec2_e700, 0x0f1e_2d3c_4b5a_6978, 1 << 63] as [UInt64] {
            for network in networks {
                for responseClass in 0...4 as ClosedRange<UInt32> {
                    let key = nc_rate_key(secret, network, responseClass)
                    var hash = Reference.step(secret, UInt64(network.family) * 256 + UInt64(responseClass))
                    hash = Reference.step(Reference.step(hash, network.hi), network.lo)
                    #expect(key == Reference.mix(hash))
                    keys.insert(key)
                }
            }
        }
        #expect(keys.count == 3 * 5 * 5)
    }

    @Test("place and tag are different bits of the key")
    func placeAndTag() {
        #expect(nc_rate_place(.max) == 131_071 && nc_rate_place(0x1234_5678_9abc_def0) == 0xdef0)
        #expect(nc_rate_place(131_072) == 0 && nc_rate_place(131_071) == 131_071)
        #expect(nc_rate_tag(0x1234_5678_9abc_def0) == 0x234 && nc_rate_tag(.max) == 0xfff)
        #expect(nc_rate_tag(0x0000_ffff_ffff_ffff) == 0 && nc_rate_tag(0xf000_0000_0000_0000) == 0)
    }
}
