import CFastPathABI

extension SteeringTables {
    /// The slot that comes first in the answers to all clients at a place; `nil` if it depends on more than the place: on
    /// the hash of the client, on another table of the name, or on the order of the whole pool.
    ///
    /// The same walk as `nc_select`, as far as it needs no hash.
    public func firstSlot(table: Int, place: Int, words: NodeWords) -> Int? {
        let list = list(table: table, place: place)
        guard list.pointee.flags & UInt8(NC_LIST_BANDS.rawValue) == 0 else { return nil }
        let family = tables[table].key.family
        return withUnsafeBytes(of: list.pointee.slot) { slots in
            for step in 0..<Int(list.pointee.count) {
                let slot = Int(slots.load(fromByteOffset: 2 * step, as: UInt16.self))
                let word = words.word(slot, family)
                let state = nc_word_state(word)
                guard state == NC_NODE_UP.rawValue || state == NC_NODE_DEGRADED.rawValue else { continue }
                return nc_word_share(word) < UInt32(NC_SHARE_FULL) ? nil : slot
            }
            return nil
        }
    }
}
