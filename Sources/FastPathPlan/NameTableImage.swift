import CFastPathABI

/// The name table's bytes: buckets and entries (`bpf/abi/names.h`).
struct NameTableImage {
    private(set) var buckets: [nc_name_bucket] = []
    /// One cell per name, and further cells for long names.
    private(set) var entries: [nc_name_entry] = []
    private(set) var mask: UInt32 = 0
    /// First cells of the names.
    private var places: [UInt32] = []

    var count: Int { places.count }

    /// Adds a name in lower case.
    ///
    /// - Parameter head: the fields before the name in its first cell; the length is filled in.
    mutating func append(_ wire: [UInt8], _ head: nc_name_entry) {
        precondition(wire.count <= NC_NAME_BYTES, "names are no longer (RFC 1035, section 2.3.4)")
        places.append(UInt32(entries.count))
        var entry = head
        entry.length = UInt8(wire.count)
        withUnsafeMutableBytes(of: &entry.name) { bytes in
            wire.prefix(bytes.count).withUnsafeBytes { bytes.copyBytes(from: $0) }
        }
        entries.append(entry)
        var rest = wire.dropFirst(8 * Int(NC_ENTRY_WORDS))
        while !rest.isEmpty {
            // A cell of words, stored in an array of the other cell type.
            var cell = nc_name_entry()
            withUnsafeMutableBytes(of: &cell) { bytes in
                rest.prefix(bytes.count).withUnsafeBytes { bytes.copyBytes(from: $0) }
            }
            entries.append(cell)
            rest = rest.dropFirst(Int(NC_CELL_BYTES))
        }
    }

    /// Links the first name to a word of the name overlay.
    mutating func setOverlay(_ word: UInt16) { entries[0].overlay = word }

    /// Places the names by their hashes under `secret`. Buckets are half full on average, and a name goes into the
    /// emptier of its two buckets, so hardly any secret makes one overflow.
    ///
    /// - Returns: `false` if a bucket overflows: try another secret.
    mutating func place(secret: UInt64) -> Bool {
        var count: UInt32 = 1
        while count * UInt32(NC_BUCKET_SLOTS) < 2 * UInt32(places.count) { count *= 2 }
        mask = count - 1
        buckets = Array(repeating: nc_name_bucket(), count: Int(count))
        var used = [UInt8](repeating: 0, count: Int(count))
        for place in places {
            let hash = hash(of: Int(place), secret: secret)
            let first = Int(nc_name_first_bucket(hash, mask))
            let second = Int(nc_name_second_bucket(hash, mask))
            let chosen = used[second] < used[first] ? second : first
            guard used[chosen] < NC_BUCKET_SLOTS else { return false }
            let slot = Int(used[chosen])
            withUnsafeMutableBytes(of: &buckets[chosen].tag) {
                $0.storeBytes(of: nc_name_tag(hash), toByteOffset: 4 * slot, as: UInt32.self)
            }
            withUnsafeMutableBytes(of: &buckets[chosen].entry) {
                $0.storeBytes(of: place, toByteOffset: 4 * slot, as: UInt32.self)
            }
            used[chosen] += 1
        }
        return true
    }

    /// Hash of a name, as the program computes it.
    private func hash(of place: Int, secret: UInt64) -> UInt64 {
        entries.withName(at: place) { name in
            nc_hash_words(
                name.bindMemory(to: UInt64.self).baseAddress, (UInt32(entries[place].length) + 7) / 8, secret)
        }
    }
}

extension [nc_name_entry] {
    /// Calls `body` with memory that begins with the name whose first cell is `place`. The entry gives its length.
    func withName<Result>(at place: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        withUnsafeBytes { bytes in
            // The words of further cells follow the first ones directly, because cells of words have no head.
            let first = (place + 1) * Int(NC_CELL_BYTES) - 8 * Int(NC_ENTRY_WORDS)
            return body(UnsafeRawBufferPointer(rebasing: bytes[first...]))
        }
    }
}
