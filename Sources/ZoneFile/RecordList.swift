public import DNSWire

/// A record with its position in the zone file.
public struct LocatedRecord: Hashable, Sendable {
    public var record: ResourceRecord
    public var file: String
    /// Position of the record's first word, from 1.
    public var line: Int
    public var column: Int

    /// `file:line:column`, which editors can follow.
    public var place: String { "\(file):\(line):\(column)" }
}

/// The records of a zone in file order, in one array of bytes, so that a million records do not take a million
/// allocations.
///
/// As a collection, it creates a `LocatedRecord` at each access. For large zones, use `entries` and `bytes`.
public struct RecordList: Sendable {
    /// A record, as ranges in `bytes`.
    public struct Entry: Sendable {
        var ownerStart: UInt32
        var dataStart: UInt32
        /// Seconds.
        public var ttl: UInt32
        public var line: UInt32
        public var column: UInt32
        public var type: RecordType
        var dataLength: UInt16
        /// Index of the file's name in `files`.
        public var file: UInt16
        var ownerLength: UInt8

        /// The owner's wire form.
        public var owner: Range<Int> { Int(ownerStart)..<Int(ownerStart) + Int(ownerLength) }
        /// The RDATA.
        public var data: Range<Int> { Int(dataStart)..<Int(dataStart) + Int(dataLength) }
    }

    public private(set) var entries: [Entry] = []
    /// Owners and RDATA. Consecutive records with the same owner share it.
    public private(set) var bytes: [UInt8] = []
    /// The names of the files read, the zone's own first.
    public internal(set) var files: [String]

    init(file: String) { files = [file] }

    /// The maximum length of `bytes`: offsets are 32 bits wide.
    static let byteLimit = Int(UInt32.max) - 70_000

    /// Appends an owner for the records that follow.
    mutating func appendOwner(_ wire: [UInt8]) -> Range<Int> {
        let start = bytes.count
        bytes.append(contentsOf: wire)
        return start..<bytes.count
    }

    /// - Precondition: `bytes` is below `byteLimit`, and `owner` is a range that `appendOwner` returned.
    mutating func append(
        owner: Range<Int>, type: RecordType, ttl: UInt32, data: [UInt8], file: Int, line: Int, column: Int
    ) {
        entries.append(
            Entry(
                ownerStart: UInt32(owner.lowerBound), dataStart: UInt32(bytes.count), ttl: ttl,
                line: UInt32(clamping: line), column: UInt32(clamping: column), type: type,
                dataLength: UInt16(data.count), file: UInt16(file), ownerLength: UInt8(owner.count)))
        bytes.append(contentsOf: data)
    }

    /// Whether `wire` equals the bytes at `owner`, including case.
    func isSame(_ owner: Range<Int>, _ wire: [UInt8]) -> Bool {
        guard owner.count == wire.count else { return false }
        for offset in wire.indices where bytes[owner.lowerBound + offset] != wire[offset] { return false }
        return true
    }

    /// The owner's name; the wire form in `bytes` is valid by construction.
    func owner(of entry: Entry) -> DomainName { DomainName(wire: bytes[entry.owner]) ?? .root }
}

extension RecordList: RandomAccessCollection {
    public var startIndex: Int { 0 }
    public var endIndex: Int { entries.count }

    public subscript(index: Int) -> LocatedRecord {
        let entry = entries[index]
        return LocatedRecord(
            record: ResourceRecord(
                owner: owner(of: entry), type: entry.type, ttl: entry.ttl, data: Array(bytes[entry.data])),
            file: files[Int(entry.file)], line: Int(entry.line), column: Int(entry.column))
    }
}
