import CFastPathABI

/// The name table's bytes: buckets and entries (`bpf/abi/names.h`).
struct NameTableImage {
    /// A name to place.
    struct Name {
        /// In lower case, no longer than `NC_NAME_BYTES`.
        let wire: [UInt8]
        /// Cell of the profile.
        let profile: UInt16
        /// See `nc_name_flag`.
        let flags: UInt32
    }

    private(set) var buckets: [nc_name_bucket]
    /// One cell a name, and those that long names go on in.
    private(set) var entries: [nc_name_entry] = []
    let mask: UInt32

    /// Places `names` by their hashes under `secret`. Buckets are filled to half on average; the emptier of a name's two
    /// takes it, so that one overflows for hardly any secret.
    ///
    /// - Returns: nil when a bucket overflows: try another secret.
    init?(_ names: [Name], secret: UInt64) {
        var count: UInt32 = 1
        while count * UInt32(NC_BUCKET_SLOTS) < 2 * UInt32(names.count) { count *= 2 }
        mask = count - 1
        buckets = Array(repeating: nc_name_bucket(), count: Int(count))
        entries.reserveCapacity(names.count)
        var used = [UInt8](repeating: 0, count: Int(count))
        for name in names {
            let words = Self.words(name.wire)
            let hash = words.withUnsafeBufferPointer { nc_hash_words($0.baseAddress, UInt32($0.count), secret) }
            let first = Int(nc_name_first_bucket(hash, mask))
            let second = Int(nc_name_second_bucket(hash, mask))
            let chosen = used[second] < used[first] ? second : first
            guard used[chosen] < NC_BUCKET_SLOTS else { return nil }
            let slot = Int(used[chosen])
            withUnsafeMutableBytes(of: &buckets[chosen].tag) {
                $0.storeBytes(of: nc_name_tag(hash), toByteOffset: 4 * slot, as: UInt32.self)
            }
            withUnsafeMutableBytes(of: &buckets[chosen].entry) {
                $0.storeBytes(of: UInt32(entries.count), toByteOffset: 4 * slot, as: UInt32.self)
            }
            used[chosen] += 1
            append(name, words)
        }
    }

    /// A wire name in 8-byte words, zero-padded.
    private static func words(_ wire: [UInt8]) -> [UInt64] {
        var words = [UInt64](repeating: 0, count: (wire.count + 7) / 8)
        words.withUnsafeMutableBytes { $0.copyBytes(from: wire) }
        return words
    }

    private mutating func append(_ name: Name, _ words: [UInt64]) {
        var entry = nc_name_entry()
        entry.profile = name.profile
        entry.length = UInt8(name.wire.count)
        entry.flags = UInt8(name.flags)
        let (first, rest) = (words.prefix(Int(NC_ENTRY_WORDS)), words.dropFirst(Int(NC_ENTRY_WORDS)))
        withUnsafeMutableBytes(of: &entry.name) { bytes in first.withUnsafeBytes { bytes.copyBytes(from: $0) } }
        entries.append(entry)
        var start = rest.startIndex
        while start < rest.endIndex {
            let end = min(start + Int(NC_REST_WORDS), rest.endIndex)
            // A cell of words, in an array of cells of the other kind.
            var cell = nc_name_entry()
            withUnsafeMutableBytes(of: &cell) { bytes in
                rest[start..<end].withUnsafeBytes { bytes.copyBytes(from: $0) }
            }
            entries.append(cell)
            start = end
        }
    }
}
