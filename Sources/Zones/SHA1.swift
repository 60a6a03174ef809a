/// SHA-1 (RFC 3174), which NSEC3 uses (RFC 5155, section 11). It protects nothing here: it only defines an order of
/// names.
struct SHA1 {
    /// The digest as five words, which order like its 20 bytes.
    struct Digest: Hashable, Comparable, Sendable {
        var words: (UInt32, UInt32, UInt32, UInt32, UInt32)

        static func == (left: Digest, right: Digest) -> Bool { left.words == right.words }
        static func < (left: Digest, right: Digest) -> Bool { left.words < right.words }

        func hash(into hasher: inout Hasher) {
            hasher.combine(words.0)
            hasher.combine(words.1)
        }
    }

    private var state: (UInt32, UInt32, UInt32, UInt32, UInt32) = (
        0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0
    )
    /// The current block, as 16 words in network order.
    private var block = InlineArray<16, UInt32>(repeating: 0)
    private var byteCount: UInt64 = 0

    /// Adds the next bytes of the message.
    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        for byte in bytes { update(byte) }
    }

    /// Adds a digest as the next 20 bytes of the message.
    mutating func update(_ digest: Digest) {
        let (a, b, c, d, e) = digest.words
        update(a)
        update(b)
        update(c)
        update(d)
        update(e)
    }

    private mutating func update(_ word: UInt32) {
        for place in (0 as UInt32)..<4 { update(UInt8(truncatingIfNeeded: word >> (24 - 8 * place))) }
    }

    private mutating func update(_ byte: UInt8) {
        let place = Int(byteCount & 63)
        block[place / 4] = block[place / 4] << 8 | UInt32(byte)
        byteCount += 1
        if place == 63 { compress() }
    }

    /// Completes the message and returns its digest.
    consuming func finish() -> Digest {
        let bitCount = byteCount * 8
        update(0x80 as UInt8)
        while byteCount & 63 != 56 { update(0 as UInt8) }
        update(UInt32(truncatingIfNeeded: bitCount >> 32))
        update(UInt32(truncatingIfNeeded: bitCount))
        return Digest(words: state)
    }

    /// RFC 3174, section 6.2, with the 16-word schedule of method 2.
    private mutating func compress() {
        var (a, b, c, d, e) = state
        for step in 0..<80 {
            let place = step & 15
            if step >= 16 {
                let mixed = block[(step + 13) & 15] ^ block[(step + 8) & 15] ^ block[(step + 2) & 15] ^ block[place]
                block[place] = Self.rotate(mixed, 1)
            }
            let (function, constant): (UInt32, UInt32) =
                switch step {
                case 0..<20: (b & c | ~b & d, 0x5A82_7999)
                case 20..<40: (b ^ c ^ d, 0x6ED9_EBA1)
                case 40..<60: (b & c | b & d | c & d, 0x8F1B_BCDC)
                default: (b ^ c ^ d, 0xCA62_C1D6)
                }
            let next = Self.rotate(a, 5) &+ function &+ e &+ block[place] &+ constant
            (e, d, c, b, a) = (d, c, Self.rotate(b, 30), a, next)
        }
        state = (state.0 &+ a, state.1 &+ b, state.2 &+ c, state.3 &+ d, state.4 &+ e)
    }

    private static func rotate(_ word: UInt32, _ count: UInt32) -> UInt32 { word << count | word >> (32 - count) }
}
