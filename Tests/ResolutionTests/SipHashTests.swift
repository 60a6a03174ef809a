import CFastPathABI
import Testing

@Suite("SipHash-2-4")
struct SipHashTests {
    /// The paper's appendix A (15 bytes), and the reference implementation's vectors: key 00 01 … 0f, message 00 01 ….
    @Test(
        "gives the published values",
        arguments: [
            (0, 0x726f_db47_dd0e_0e31), (8, 0x93f5_f579_9a93_2462), (15, 0xa129_ca61_49be_45e5),
            (20, 0xbed6_5cf2_1aa2_ee98), (32, 0x7127_512f_72f2_7cce), (63, 0x958a_324c_eb06_4572),
        ] as [(Int, UInt64)])
    func vectors(length: Int, expected: UInt64) {
        let key = nc_siphash_key(k0: 0x0706_0504_0302_0100, k1: 0x0f0e_0d0c_0b0a_0908)
        let message = (0..<length).map { UInt64($0) }
        func word(_ bytes: ArraySlice<UInt64>) -> UInt64 { bytes.reversed().reduce(0) { $0 << 8 | $1 } }
        let words = (0..<length / 8).map { word(message[8 * $0..<8 * $0 + 8]) }
        #expect(
            nc_siphash_words(key, words, UInt32(words.count), word(message.suffix(length % 8)), UInt32(length))
                == expected)
    }
}
