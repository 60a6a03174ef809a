import CFastPathABI
import Testing

/// SipHash-2-4 over bytes, step by step as in the paper's section 2.
private func sipHash(_ key: [UInt8], _ message: [UInt8]) -> UInt64 {
    func word(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) } }
    func rotated(_ value: UInt64, _ bits: UInt64) -> UInt64 { value << bits | value >> (64 - bits) }
    let (k0, k1) = (word(key[0..<8]), word(key[8..<16]))
    let constants = ["somepseu", "dorandom", "lygenera", "tedbytes"].map {
        $0.utf8.reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
    }
    var v = zip(constants, [k0, k1, k0, k1]).map { $0 ^ $1 }
    func round() {
        for (a, b, c, d, first, second) in [(0, 1, 2, 3, 13, 16), (2, 1, 0, 3, 17, 21)]
            as [(Int, Int, Int, Int, UInt64, UInt64)]
        {
            v[a] &+= v[b]
            v[c] &+= v[d]
            v[b] = rotated(v[b], first) ^ v[a]
            v[d] = rotated(v[d], second) ^ v[c]
            v[a] = rotated(v[a], 32)
        }
    }
    var padded = message
    while padded.count % 8 != 7 { padded.append(0) }
    padded.append(UInt8(truncatingIfNeeded: message.count))
    for start in stride(from: 0, to: padded.count, by: 8) {
        let block = word(padded[start..<start + 8])
        v[3] ^= block
        round()
        round()
        v[0] ^= block
    }
    v[2] ^= 0xff
    for _ in 0..<4 { round() }
    return v.reduce(0, ^)
}

@Suite("SipHash-2-4")
struct SipHashTests {
    private func hash(_ key: [UInt8], _ message: [UInt8]) -> UInt64 {
        func word(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) } }
        let words = (0..<message.count / 8).map { word(message[8 * $0..<8 * $0 + 8]) }
        return nc_siphash_words(
            nc_siphash_key(k0: word(key[0..<8]), k1: word(key[8..<16])), words, UInt32(words.count),
            word(message.suffix(message.count % 8)), UInt32(message.count))
    }

    /// The paper's appendix A (15 bytes), and the reference implementation's vectors: key 00 01 … 0f, message 00 01 ….
    @Test(
        "gives the published values",
        arguments: [
            (0, 0x726f_db47_dd0e_0e31), (8, 0x93f5_f579_9a93_2462), (15, 0xa129_ca61_49be_45e5),
            (20, 0xbed6_5cf2_1aa2_ee98), (32, 0x7127_512f_72f2_7cce), (63, 0x958a_324c_eb06_4572),
        ] as [(Int, UInt64)])
    func vectors(length: Int, expected: UInt64) {
        let (key, message) = (Array(0..<16) as [UInt8], (0..<length).map { UInt8($0) })
        #expect(hash(key, message) == expected && sipHash(key, message) == expected)
    }

    @Test("is that of the paper for random keys and messages of every length")
    func random() {
        var random = Numbers(5)
        for length in 0..<300 {
            let key = (0..<16).map { _ in UInt8.random(in: 0...255, using: &random) }
            let message = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
            #expect(hash(key, message) == sipHash(key, message))
        }
    }
}
