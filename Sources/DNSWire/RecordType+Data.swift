extension RecordType {
    /// Whether `data` has the outer form that this type needs: its fixed length, and whole names where answering follows or
    /// compresses them. Types that are only copied are always well formed.
    public func isWellFormed(_ data: [UInt8]) -> Bool {
        switch self {
        case .a: data.count == 4
        case .aaaa: data.count == 16
        case .soa: Self.names(2, in: data, from: 0, followedBy: 20)
        case .srv: Self.names(1, in: data, from: 6, followedBy: 0)
        case .dname: Self.names(1, in: data, from: 0, followedBy: 0)
        default:
            compressibleNames.map { Self.names($0.count, in: data, from: $0.offset, followedBy: 0) }
                ?? (data.count <= 65_535)
        }
    }

    private static func names(_ count: Int, in data: [UInt8], from offset: Int, followedBy tail: Int) -> Bool {
        data.withUnsafeBytes { bytes in
            var position = offset
            for _ in 0..<count {
                guard let length = DomainName.wireLength(in: bytes, at: position) else { return false }
                position += length
            }
            return position + tail == data.count
        }
    }
}
