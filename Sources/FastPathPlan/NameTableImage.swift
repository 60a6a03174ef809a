import CFastPathABI

/// The name table's bytes: buckets and entries (`bpf/abi/names.h`).
struct NameTableImage {
    private(set) var buckets: [nc_name_bucket] = []
    /// One cell a name, and those that long names go on in.
    private(set) var entries: [nc_name_entry] = []
    private(set) var mask: UInt32 = 0
    /// First cells of the names.
    private var places: [UInt32] = []

    var count: Int { places.count }

    /// Adds a name in lower case.
    ///
    /// - Parameter head: what stands before the name in its first cell; its length is filled in.
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
            // A cell of words, in an array of cells of the other kind.
            var cell = nc_name_entry()
            withUnsafeMutableBytes(of: &cell) { bytes in
                rest.prefix(bytes.count).withUnsafeBytes { bytes.copyBytes(from: $0) }
            }
            entries.append(cell)
            rest = rest.dropFirst(Int(NC_CELL_BYTES))
        }
    }

    /// Makes the first name one that a word of the overlay speaks for.
    mutating func setOverlay(_ word: UInt16) { entries[0].overlay = word }

    /// Places the names by their hashes under `secret`. Buckets are filled to half on average; the emptier of a name's two
    /// takes it, so that one overflows for hardly any secret.
    ///
    /// - Returns: `false` when a bucket overflows: try another secret.
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

    /// Hash of a name, as the program computes it from the query's.
    private func hash(of place: Int, secret: UInt64) -> UInt64 {
        entries.withName(at: place) { name in
            nc_hash_words(
                name.bindMemory(to: UInt64.self).baseAddress, (UInt32(entries[place].length) + 7) / 8, secret)
        }
    }
}

extension [nc_name_entry] {
    /// Calls `body` with memory that begins with the name of first cell `place`, whose length its entry tells.
    func withName<Result>(at place: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        withUnsafeBytes { bytes in
            // Behind the first words the others follow at once: cells of words have no head.
            let first = (place + 1) * Int(NC_CELL_BYTES) - 8 * Int(NC_ENTRY_WORDS)
            return body(UnsafeRawBufferPointer(rebasing: bytes[first...]))
        }
    }
}
