import CFastPathABI
import Testing

@Suite("Hashes")
struct HashTests {
    @Test("the finaliser is that of SplitMix64: the first numbers of the seeds 0 and 1234567")
    func published() {
        let step: UInt64 = 0x9e37_79b9_7f4a_7c15
        let zero = (1...4).map { nc_mix(step &* $0) }
        #expect(zero == [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4, 0x06c4_5d18_8009_454f, 0xf88b_b8a8_724c_81ec])
        let other = (1...3).map { nc_mix(1_234_567 &+ step &* $0) }
        #expect(other == [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423])
        #expect(nc_mix(0) == 0)
    }

    @Test("the seed that decides who gets which node never changes: it moves every client")
    func seed() {
        #expect(NC_STEERING_SEED == Array("nearcast".utf8).reduce(0) { $0 << 8 | UInt64($1) })
    }

    @Test("a hash of words takes each in turn, and no more than it is given")
    func words() {
        var random = Numbers(1)
        for count in 0..<40 {
            let words = (0..<count + 1).map { _ in random.next() }
            let seed = random.next()
            let expected = Reference.mix(words.prefix(count).reduce(seed, Reference.step))
            #expect(nc_hash_words(words, UInt32(count), seed) == expected)
        }
        // What stood in the first release: a change of any of these sends clients elsewhere.
        #expect(nc_hash_step(NC_STEERING_SEED, 1) == 0xf904_3583_0d9c_88bf)
        #expect(
            nc_hash_words([0x0377_7777_0765_7861, 0x6d70_6c65_0363_6f6d], 2, NC_STEERING_SEED) == 0xfef0_4440_6efe_37a0)
    }

    @Test("upper-case letters become lower-case ones, and every other byte stays, at each of eight places")
    func lower() {
        for place in 0..<8 as Range<UInt64> {
            for byte in 0...255 as ClosedRange<UInt64> {
                let isUpper = (65...90).contains(byte)
                for others in [0, 0x4141_4141_4141_4141, 0xffff_ffff_ffff_ffff, 0x5a5b_4060_7a61_80c1] as [UInt64] {
                    let mask: UInt64 = 0xff << (8 * place)
                    let word = others & ~mask | byte << (8 * place)
                    let lowered = nc_lower_word(word)
                    #expect(lowered & mask == (isUpper ? byte + 32 : byte) << (8 * place))
                    #expect(lowered & ~mask == nc_lower_word(others) & ~mask, "no byte touches its neighbours")
                }
            }
        }
    }

    @Test("a name's tag is never that of an empty place, and its buckets are among those there are")
    func buckets() {
        #expect(nc_name_tag(0) == 1 && nc_name_tag(0x8000_0002_ffff_ffff) == 0x8000_0003)
        #expect(nc_name_first_bucket(0xffff_ffff_0000_1234, 0xfff) == 0x234)
        var random = Numbers(2)
        var different = 0
        for _ in 0..<1000 {
            let hash = random.next()
            let (first, second) = (nc_name_first_bucket(hash, 0xffff), nc_name_second_bucket(hash, 0xffff))
            #expect(first == UInt32(hash & 0xffff) && second == UInt32(Reference.mix(hash) & 0xffff))
            if first != second { different += 1 }
        }
        #expect(different > 990)
    }

    @Test("an own address has one bit of the filter, and which one depends on both halves")
    func ownBit() {
        #expect(nc_own_bit(0, 0) == 1)
        // 0x9e3779b9… begins with 100111, which is 39.
        #expect(nc_own_bit(0, 1) == 1 << 39 && nc_own_bit(1, 0) == 1 << 39)
        var random = Numbers(3)
        var seen: UInt64 = 0
        for _ in 0..<2000 {
            let bit = nc_own_bit(random.next(), random.next())
            #expect(bit.nonzeroBitCount == 1)
            seen |= bit
        }
        #expect(seen == .max)
    }
}
