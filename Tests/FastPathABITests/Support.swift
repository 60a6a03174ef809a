import CFastPathABI

/// The arithmetic that both paths share, written once more, from its description and not from its code: what a test of one path
/// against the other cannot find is wrong in both.
enum Reference {
    /// One number of SplitMix64, from the state before it (Steele, Lea, Flood 2014).
    static func splitMix(_ state: UInt64) -> UInt64 { mix(state &+ 0x9e37_79b9_7f4a_7c15) }

    static func mix(_ value: UInt64) -> UInt64 {
        var value = value
        for (shift, factor) in [(30, 0xbf58_476d_1ce4_e5b9), (27, 0x94d0_49bb_1331_11eb)] as [(UInt64, UInt64)] {
            value = (value ^ value / (1 << shift)) &* factor
        }
        return value ^ value / (1 << 31)
    }

    static func step(_ hash: UInt64, _ word: UInt64) -> UInt64 {
        let product = (hash ^ word) &* 0x9e37_79b9_7f4a_7c15
        return product ^ product / (1 << 29)
    }
}

/// Numbers that look random and are the same in every run.
struct Numbers: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        defer { state &+= 0x9e37_79b9_7f4a_7c15 }
        return Reference.splitMix(state)
    }
}

extension nc_address {
    static func v4(_ address: UInt32) -> nc_address {
        nc_address(hi: UInt64(address) << 32, lo: 0, family: UInt32(NC_FAMILY_V4), reserved: 0)
    }

    static func v6(_ hi: UInt64, _ lo: UInt64 = 0) -> nc_address {
        nc_address(hi: hi, lo: lo, family: UInt32(NC_FAMILY_V6), reserved: 0)
    }
}
