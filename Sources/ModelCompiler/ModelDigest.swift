import CFastPathABI

/// A running hash of everything that decides answers. It distinguishes states; it does not authenticate them.
struct ModelDigest {
    private var hash = UInt64(NC_STEERING_SEED)

    var value: UInt64 { nc_mix(hash) }

    init() {}

    init(of bytes: UnsafeRawBufferPointer) { add(bytes) }

    mutating func add(_ number: some FixedWidthInteger) {
        hash = nc_hash_step(hash, UInt64(truncatingIfNeeded: number))
    }

    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        add(bytes.count)
        var offset = 0
        while offset + 8 <= bytes.count {
            hash = nc_hash_step(
                hash, UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
            offset += 8
        }
        var last: UInt64 = 0
        for index in offset..<bytes.count { last |= UInt64(bytes[index]) << UInt64(8 * (index - offset)) }
        hash = nc_hash_step(hash, last)
    }

    mutating func add(_ bytes: [UInt8]) { bytes.withUnsafeBytes { add($0) } }

    mutating func add(_ text: String?) { add(text.map { Array($0.utf8) + [1] } ?? []) }
}
