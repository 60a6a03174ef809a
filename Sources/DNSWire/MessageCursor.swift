extension UnsafeRawBufferPointer {
    /// The big-endian number at `offset`. The caller must have checked the bounds.
    @inline(__always)
    func networkUInt16(at offset: Int) -> UInt16 {
        UInt16(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt16.self))
    }

    /// The big-endian number at `offset`. The caller must have checked the bounds.
    @inline(__always)
    func networkUInt32(at offset: Int) -> UInt32 {
        UInt32(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
}

/// Walks over the sections of a packet. Each read checks bounds, and returns `nil` if the packet is too short.
struct MessageCursor {
    struct Record {
        var ownerIsRoot: Bool
        var type: RecordType
        var recordClass: RecordClass
        var ttl: UInt32
        var dataRange: Range<Int>
    }

    let packet: UnsafeRawBufferPointer
    private var position = MessageHeader.length

    init(_ packet: UnsafeRawBufferPointer) { self.packet = packet }

    var isAtEnd: Bool { position == packet.count }
    private var remaining: Int { packet.count - position }

    /// Reads a question. Its name cannot be compressed, because no name precedes it.
    mutating func readQuestion() -> Question? {
        guard let length = DomainName.wireLength(in: packet, at: position), remaining >= length + 4 else { return nil }
        let fixed = position + length
        position = fixed + 4
        return Question(
            nameLength: length, type: RecordType(rawValue: packet.networkUInt16(at: fixed)),
            recordClass: RecordClass(rawValue: packet.networkUInt16(at: fixed + 2)))
    }

    mutating func readRecord() -> Record? {
        let owner = position
        guard skipName(), remaining >= 10 else { return nil }
        let fixed = position
        let length = Int(packet.networkUInt16(at: fixed + 8))
        guard remaining >= 10 + length else { return nil }
        position = fixed + 10 + length
        return Record(
            ownerIsRoot: packet[owner] == 0, type: RecordType(rawValue: packet.networkUInt16(at: fixed)),
            recordClass: RecordClass(rawValue: packet.networkUInt16(at: fixed + 2)),
            ttl: packet.networkUInt32(at: fixed + 4), dataRange: fixed + 10..<position)
    }

    /// Skips a name. A compression pointer ends the name and is not followed.
    private mutating func skipName() -> Bool {
        let start = position
        while position < packet.count, position - start < DomainName.maximumLength {
            let label = packet[position]
            switch label {
            case 0:
                position += 1
                return true
            case 1...63: position += 1 + Int(label)
            case 0xC0...:
                position += 2
                return position <= packet.count
            default: return false
            }
        }
        return false
    }
}
