import DNSWire

/// Numbers for names, found by wire form in any case. The bytes of the names stay in a `RecordList`.
///
/// It uses open addressing with linear probing and is at most half full.
struct OwnerIndex {
    private struct Name {
        var start: UInt32
        var hash: UInt32
        var length: UInt8
    }

    private var names: [Name] = []
    /// Number of the name plus 1, or 0.
    private var slots: [UInt32] = Array(repeating: 0, count: 64)

    var count: Int { names.count }

    /// The range of a name's wire form.
    func place(_ number: Int) -> Range<Int> {
        Int(names[number].start)..<Int(names[number].start) + Int(names[number].length)
    }

    /// The number of the name at `place` in `bytes`; a new name gets the next number. All places must be in the same
    /// `bytes`.
    mutating func insert(_ place: Range<Int>, of bytes: [UInt8]) -> Int {
        let hash = Self.hash(bytes, place)
        var slot = Int(hash) & (slots.count - 1)
        while slots[slot] != 0 {
            let number = Int(slots[slot]) - 1
            if matches(number, hash, bytes, place, bytes) { return number }
            slot = (slot + 1) & (slots.count - 1)
        }
        names.append(Name(start: UInt32(place.lowerBound), hash: hash, length: UInt8(place.count)))
        slots[slot] = UInt32(names.count)
        if names.count * 2 > slots.count { grow() }
        return names.count - 1
    }

    /// The number of the name at `place` in `wanted`. The indexed names are in `bytes`.
    func find(_ place: Range<Int>, of wanted: [UInt8], in bytes: [UInt8]) -> Int? {
        let hash = Self.hash(wanted, place)
        var slot = Int(hash) & (slots.count - 1)
        while slots[slot] != 0 {
            let number = Int(slots[slot]) - 1
            if matches(number, hash, wanted, place, bytes) { return number }
            slot = (slot + 1) & (slots.count - 1)
        }
        return nil
    }

    private func matches(
        _ number: Int, _ hash: UInt32, _ wanted: [UInt8], _ place: Range<Int>, _ bytes: [UInt8]
    ) -> Bool {
        let name = names[number]
        guard name.hash == hash, Int(name.length) == place.count else { return false }
        for offset in 0..<place.count {
            let (left, right) = (bytes[Int(name.start) + offset], wanted[place.lowerBound + offset])
            guard DomainName.lowercased(left) == DomainName.lowercased(right) else { return false }
        }
        return true
    }

    private mutating func grow() {
        slots = Array(repeating: 0, count: slots.count * 2)
        for (number, name) in names.enumerated() {
            var slot = Int(name.hash) & (slots.count - 1)
            while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
            slots[slot] = UInt32(number + 1)
        }
    }

    /// FNV-1a over the lower-case name, folded. The author of the zone chooses the names, so no secret is needed.
    private static func hash(_ bytes: [UInt8], _ place: Range<Int>) -> UInt32 {
        var state: UInt64 = 0xCBF2_9CE4_8422_2325
        for position in place {
            state = (state ^ UInt64(DomainName.lowercased(bytes[position]))) &* 0x0000_0100_0000_01B3
        }
        return UInt32(truncatingIfNeeded: state ^ state >> 32)
    }
}
