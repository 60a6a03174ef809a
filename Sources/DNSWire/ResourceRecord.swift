/// One resource record (RFC 1035, section 3.2.1).
public struct ResourceRecord: Hashable, Sendable {
    public var owner: DomainName
    public var type: RecordType
    public var recordClass: RecordClass
    /// Seconds, at most 2³¹ − 1 (RFC 2181, section 8).
    public var ttl: UInt32
    /// RDATA on the wire, at most 65,535 bytes; names inside it are not compressed.
    public var data: [UInt8]

    public init(
        owner: DomainName, type: RecordType, recordClass: RecordClass = .in, ttl: UInt32, data: [UInt8]
    ) {
        self.owner = owner
        self.type = type
        self.recordClass = recordClass
        self.ttl = ttl
        self.data = data
    }
}

extension RecordType {
    /// Where this type's RDATA contains names that may be compressed. Only types of RFC 1035 have them (RFC 3597,
    /// section 4).
    package struct CompressibleNames {
        /// Bytes before the first name.
        package var offset: Int
        /// Number of consecutive names. The bytes after them are copied.
        package var count: Int
    }

    package var compressibleNames: CompressibleNames? {
        switch rawValue {
        case 2, 3, 4, 5, 7, 8, 9, 12: CompressibleNames(offset: 0, count: 1)  // NS MD MF CNAME MB MG MR PTR
        case 6, 14: CompressibleNames(offset: 0, count: 2)  // SOA MINFO
        case 15: CompressibleNames(offset: 2, count: 1)  // MX
        default: nil
        }
    }
}
