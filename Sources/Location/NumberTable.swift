/// Numbers 32-bit keys in order of appearance, from 0. Open addressing makes it several times faster than a dictionary.
public struct NumberTable: Sendable {
    /// Key in the upper half, number plus one in the lower; 0 is free. At most half of the slots are taken.
    private var slots: [UInt64]
    private var shift: UInt64
    public private(set) var count = 0

    /// - Parameter capacity: the number of keys before the table grows.
    public init(capacity: Int) {
        let bits = max(4, Int.bitWidth - max(capacity, 1).leadingZeroBitCount + 1)
        slots = Array(repeating: 0, count: 1 << bits)
        shift = 64 - UInt64(bits)
    }

    /// The number of a key. A new key gets the current `count`.
    public mutating func number(of key: UInt32) -> Int {
        if 2 * count >= slots.count { grow() }
        let slot = slot(of: key)
        if slots[slot] != 0 { return Int(slots[slot] & 0xffff_ffff) - 1 }
        count += 1
        slots[slot] = UInt64(key) << 32 | UInt64(count)
        return count - 1
    }

    /// Removes all keys, and keeps the memory.
    public mutating func removeAll() {
        for slot in slots.indices where slots[slot] != 0 { slots[slot] = 0 }
        count = 0
    }

    /// The slot that holds `key`, or the free one where it would be.
    private func slot(of key: UInt32) -> Int {
        var slot = Int(truncatingIfNeeded: (UInt64(key) &* 0x9e37_79b9_7f4a_7c15) >> shift)
        while slots[slot] != 0, slots[slot] >> 32 != UInt64(key) { slot = (slot + 1) & (slots.count - 1) }
        return slot
    }

    private mutating func grow() {
        let old = slots
        slots = Array(repeating: 0, count: 2 * old.count)
        shift -= 1
        for entry in old where entry != 0 { slots[slot(of: UInt32(entry >> 32))] = entry }
    }
}
