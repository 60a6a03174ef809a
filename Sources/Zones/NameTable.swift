import DNSWire

/// A lower-case name with the offsets of its labels and the hash of every suffix, in memory that lives for one query.
///
/// The hash of a suffix is computed from that of its parent. One pass from the root gives all of them, so the search
/// for the closest zone or encloser computes no hash again.
@usableFromInline
package struct LookupName {
    /// Bytes of scratch memory: below the 1,024 that stay on the stack.
    @inlinable static var byteCount: Int { bytesPlace + 256 + 8 }
    @inlinable static var hashesPlace: Int { 0 }
    @inlinable static var offsetsPlace: Int { 4 * 128 }
    @inlinable static var bytesPlace: Int { offsetsPlace + 128 }

    // All three point into one temporary allocation made by `withScratch`, which outlives this value. They are accessed
    // only below `length` and up to `labelCount`.
    @usableFromInline let hashes: UnsafeMutablePointer<UInt32>
    @usableFromInline let offsets: UnsafeMutablePointer<UInt8>
    @usableFromInline let bytes: UnsafeMutablePointer<UInt8>
    /// Length of the whole name in bytes.
    @usableFromInline package private(set) var length = 0
    /// Number of labels, without the root.
    package private(set) var labelCount = 0

    @inlinable init(_ memory: UnsafeMutableRawBufferPointer) {
        let base = memory.baseAddress!
        hashes = (base + Self.hashesPlace).bindMemory(to: UInt32.self, capacity: 128)
        offsets = (base + Self.offsetsPlace).bindMemory(to: UInt8.self, capacity: 128)
        bytes = (base + Self.bytesPlace).bindMemory(to: UInt8.self, capacity: 256)
    }

    /// Gives `body` an empty name to load.
    @inlinable package static func withScratch<Result>(_ body: (inout LookupName) -> Result) -> Result {
        withUnsafeTemporaryAllocation(byteCount: byteCount, alignment: 8) { memory in
            var name = LookupName(memory)
            return body(&name)
        }
    }

    /// Loads a valid uncompressed wire name of at most 255 bytes: lower-cases it and hashes its suffixes.
    package mutating func load(_ wire: UnsafeRawBufferPointer) {
        precondition(wire.count <= DomainName.maximumLength, "a name has at most 255 bytes")
        length = wire.count
        for index in 0..<length { bytes[index] = DomainName.lowercased(wire[index]) }
        hashSuffixes()
    }

    /// Replaces the first `label` labels by the wildcard label. Returns `false` if the result is too long for a name.
    mutating func loadWildcard(belowSuffix label: Int) -> Bool {
        let start = Int(offsets[label])
        let count = length - start
        guard count + 2 <= DomainName.maximumLength else { return false }
        UnsafeMutableRawPointer(bytes + 2).copyMemory(from: bytes + start, byteCount: count)
        bytes[0] = 1
        bytes[1] = UInt8(ascii: "*")
        length = count + 2
        hashSuffixes()
        return true
    }

    /// Finds the labels of `bytes` and hashes the suffixes.
    private mutating func hashSuffixes() {
        labelCount = 0
        var position = 0
        while bytes[position] != 0 {
            offsets[labelCount] = UInt8(position)
            labelCount += 1
            position += 1 + Int(bytes[position])
        }
        offsets[labelCount] = UInt8(position)
        let secret = NameSecret.ofProcess
        var state = secret.start
        hashes[labelCount] = Self.fold(state)
        for label in (0..<labelCount).reversed() {
            state = hash(label, after: state, secret)
            hashes[label] = Self.fold(state)
        }
    }

    /// Adds a label, including its length byte, to a running hash, eight bytes at a time.
    private func hash(_ label: Int, after state: UInt64, _ secret: NameSecret) -> UInt64 {
        var (state, at, left) = (state, Int(offsets[label]), Int(offsets[label + 1]) - Int(offsets[label]))
        let memory = UnsafeRawPointer(bytes)
        while left > 8 {
            state = secret.mix(state, memory.loadUnaligned(fromByteOffset: at, as: UInt64.self))
            at += 8
            left -= 8
        }
        // Masks the bytes after the label. After a name of 255 bytes there are eight more bytes of scratch memory.
        let rest = memory.loadUnaligned(fromByteOffset: at, as: UInt64.self) & (.max >> UInt64(64 - 8 * left))
        return secret.mix(state, rest)
    }

    /// The lower-cased name without its first `label` labels.
    @inlinable package func suffix(_ label: Int) -> UnsafeRawBufferPointer {
        let start = Int(offsets[label])
        return UnsafeRawBufferPointer(start: bytes + start, count: length - start)
    }

    /// The hash of `suffix(label)`.
    @inlinable package func hash(_ label: Int) -> UInt32 { hashes[label] }

    private static func fold(_ state: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: state ^ state >> 32) }
}

/// An immutable set of names, found by lower-case wire form, usually in one probe.
///
/// It uses open addressing with linear probing and is at most half full. Hashes are keyed by a secret of the process,
/// so that someone who may create records cannot choose names that collide. No answer and no order depends on the
/// secret.
@usableFromInline
package struct NameTable: Sendable {
    @usableFromInline struct Entry: Sendable {
        @usableFromInline var hash: UInt32
        @usableFromInline var offset: UInt32
        @usableFromInline var length: UInt8
    }

    @usableFromInline private(set) var entries: [Entry] = []
    @usableFromInline private(set) var bytes: [UInt8] = []
    /// Index of the entry plus 1, or 0.
    private var slots: [UInt32]

    /// An empty table.
    init() { slots = Array(repeating: 0, count: 4) }

    /// Indexes `names`: the first has index 0. They must be distinct.
    init(_ names: some Collection<DomainName>) {
        self.init()
        LookupName.withScratch { scratch in
            for name in names {
                name.wire.withUnsafeBytes { scratch.load($0) }
                insert(scratch, from: 0)
            }
        }
        trim()
    }

    /// Number of names, and the index of the next one.
    @usableFromInline var count: Int { entries.count }

    /// Adds `name` without its first `label` labels. The result must not be in the table.
    mutating func insert(_ name: LookupName, from label: Int) {
        let suffix = name.suffix(label)
        entries.append(
            Entry(hash: name.hash(label), offset: UInt32(bytes.count), length: UInt8(suffix.count)))
        bytes.append(contentsOf: suffix)
        if entries.count * 2 > slots.count { grow() } else { place(entries.count - 1) }
    }

    /// Adds the name that `other` has at `index`. If it was removed there, the new entry is never found either.
    mutating func append(_ other: NameTable, at index: Int, _ scratch: inout LookupName) {
        let isRemoved = other.withName(at: index) { wire in
            if !wire.isEmpty { scratch.load(wire) }
            return wire.isEmpty
        }
        guard isRemoved else { return insert(scratch, from: 0) }
        entries.append(Entry(hash: 0, offset: UInt32(bytes.count), length: 0))
        if entries.count * 2 > slots.count { grow() } else { place(entries.count - 1) }
    }

    /// Releases spare capacity.
    mutating func trim() {
        entries = entries.trimmed()
        bytes = bytes.trimmed()
    }

    private mutating func grow() {
        slots = Array(repeating: 0, count: slots.count * 2)
        for index in entries.indices { place(index) }
    }

    private mutating func place(_ index: Int) {
        var slot = Int(entries[index].hash) & (slots.count - 1)
        while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
        slots[slot] = UInt32(index + 1)
    }

    /// The index of `name` without its first `label` labels.
    func find(_ name: LookupName, from label: Int) -> Int? {
        let (wanted, hash) = (name.suffix(label), name.hash(label))
        var slot = Int(hash) & (slots.count - 1)
        while slots[slot] != 0 {
            let index = Int(slots[slot]) - 1
            if entries[index].hash == hash, matches(index, wanted) { return index }
            slot = (slot + 1) & (slots.count - 1)
        }
        return nil
    }

    private func matches(_ index: Int, _ wanted: UnsafeRawBufferPointer) -> Bool {
        let entry = entries[index]
        guard Int(entry.length) == wanted.count else { return false }
        return bytes.withUnsafeBytes { bytes in
            for position in 0..<wanted.count where bytes[Int(entry.offset) + position] != wanted[position] {
                return false
            }
            return true
        }
    }

    /// The index of the name that `other` has at `index`.
    func find(nameAt index: Int, of other: NameTable) -> Int? {
        other.withName(at: index) { wanted in
            guard !wanted.isEmpty else { return nil }
            let hash = other.entries[index].hash
            var slot = Int(hash) & (slots.count - 1)
            while slots[slot] != 0 {
                let index = Int(slots[slot]) - 1
                if entries[index].hash == hash, matches(index, wanted) { return index }
                slot = (slot + 1) & (slots.count - 1)
            }
            return nil
        }
    }

    /// Removes the name at `index`: it is never found again. Its index is not reused.
    mutating func remove(at index: Int) { entries[index].length = 0 }

    /// Calls `body` with the lower-case wire form of the name at `index`, or with no bytes if it was removed.
    @inlinable package func withName<Result>(at index: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        let entry = entries[index]
        return bytes.withUnsafeBytes {
            body(UnsafeRawBufferPointer(rebasing: $0[Int(entry.offset)..<Int(entry.offset) + Int(entry.length)]))
        }
    }
}

extension Array {
    /// The same elements without spare capacity.
    func trimmed() -> Self {
        guard capacity > count + count / 8 else { return self }
        var exact: Self = []
        exact.reserveCapacity(count)
        exact.append(contentsOf: self)
        return exact
    }
}
