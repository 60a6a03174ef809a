import CFastPathABI

/// The name table's bytes: buckets and entries (`bpf/abi/names.h`).
struct NameTableImage {
    private(set) var buckets: [nc_name_bucket]
    private(set) var entries: [nc_name_entry]
    let mask: UInt32

    /// Places `entries` by the hashes of their names under `secret`. Buckets are filled to half on average; the
    /// emptier of a name's two takes it, so that one overflows for hardly any secret.
    ///
    /// - Returns: nil when a bucket overflows: try another secret.
    init?(_ entries: [nc_name_entry], secret: UInt64) {
        var count: UInt32 = 1
        while count * UInt32(NC_BUCKET_SLOTS) < 2 * UInt32(entries.count) { count *= 2 }
        mask = count - 1
        buckets = Array(repeating: nc_name_bucket(), count: Int(count))
        self.entries = entries
        var used = [Int](repeating: 0, count: Int(count))
        for (index, entry) in entries.enumerated() {
            let hash = Self.hash(entry, secret: secret)
            let first = Int(nc_name_first_bucket(hash, mask))
            let second = Int(nc_name_second_bucket(hash, mask))
            let chosen = used[second] < used[first] ? second : first
            guard used[chosen] < Int(NC_BUCKET_SLOTS) else { return nil }
            let slot = used[chosen]
            withUnsafeMutableBytes(of: &buckets[chosen].tag) {
                $0.storeBytes(of: nc_name_tag(hash), toByteOffset: 4 * slot, as: UInt32.self)
            }
            withUnsafeMutableBytes(of: &buckets[chosen].entry) {
                $0.storeBytes(of: UInt32(index), toByteOffset: 4 * slot, as: UInt32.self)
            }
            used[chosen] += 1
        }
    }

    /// Hash of an entry's name, as the program computes it from the query's.
    private static func hash(_ entry: nc_name_entry, secret: UInt64) -> UInt64 {
        withUnsafeBytes(of: entry.name) { bytes in
            let words = bytes.bindMemory(to: UInt64.self)
            return nc_hash_words(words.baseAddress, (UInt32(entry.length) + 7) / 8, secret)
        }
    }
}
