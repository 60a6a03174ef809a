/// The fields of a message's 12-byte header (RFC 1035, section 4.1.1).
public struct MessageHeader: Hashable, Sendable {
    public static let length = 12

    public var id: UInt16
    /// The third and fourth byte, as one number.
    public var flags: UInt16
    public var questionCount: UInt16
    public var answerCount: UInt16
    public var authorityCount: UInt16
    public var additionalCount: UInt16

    public static let responseFlag: UInt16 = 0x8000
    public static let authoritativeFlag: UInt16 = 0x0400
    public static let truncatedFlag: UInt16 = 0x0200
    public static let recursionDesiredFlag: UInt16 = 0x0100

    public var isResponse: Bool { flags & Self.responseFlag != 0 }
    public var recursionDesired: Bool { flags & Self.recursionDesiredFlag != 0 }
    public var opcode: Opcode { Opcode(rawValue: UInt8(flags >> 11 & 15)) }

    /// Reads the header; `nil` if the packet has fewer than 12 bytes.
    public init?(_ packet: UnsafeRawBufferPointer) {
        guard packet.count >= Self.length else { return nil }
        id = packet.networkUInt16(at: 0)
        flags = packet.networkUInt16(at: 2)
        questionCount = packet.networkUInt16(at: 4)
        answerCount = packet.networkUInt16(at: 6)
        authorityCount = packet.networkUInt16(at: 8)
        additionalCount = packet.networkUInt16(at: 10)
    }
}

/// The question of a message, as a range in its packet, so that reading it does not allocate.
public struct Question: Hashable, Sendable {
    /// Length of the name, including the root label, which begins at offset 12 of the packet.
    public var nameLength: Int
    public var type: RecordType
    public var recordClass: RecordClass

    /// The name's range in the packet.
    public var nameRange: Range<Int> { MessageHeader.length..<MessageHeader.length + nameLength }
    /// The range of the whole question in the packet: name, type and class.
    public var range: Range<Int> { MessageHeader.length..<MessageHeader.length + nameLength + 4 }
}

/// A query, read from a packet that the caller keeps.
///
/// Reading continues as far as possible. `formatError` says that the packet is malformed; `question` and `edns` contain
/// what could be read anyway, so that the error reply can echo it.
public struct QueryMessage: Hashable, Sendable {
    public var header: MessageHeader
    /// The only question; `nil` if there is not exactly one, or if it cannot be read.
    public var question: Question?
    public var edns: EDNS?
    public var formatError = false

    /// Reads `packet`; `nil` if it is shorter than a header.
    ///
    /// Format errors are: more than one question (RFC 9619), no question unless there is a COOKIE option (RFC 7873,
    /// section 5.4), records in the answer or authority section (but IXFR carries its SOA there, RFC 1995), records that
    /// run over the end, bytes after the last record, more than one OPT or an OPT that is not at the root (RFC 6891,
    /// section 6.1.1), and malformed options.
    public init?(_ packet: UnsafeRawBufferPointer) {
        guard let header = MessageHeader(packet) else { return nil }
        self.header = header
        var cursor = MessageCursor(packet)
        formatError = !readSections(&cursor)
    }

    private mutating func readSections(_ cursor: inout MessageCursor) -> Bool {
        // A section can be read only if everything before it could be read.
        var valid = header.questionCount <= 1
        for _ in 0..<header.questionCount {
            guard let question = cursor.readQuestion() else { return false }
            if header.questionCount == 1 { self.question = question }
        }
        valid = valid && header.answerCount == 0 && (header.authorityCount == 0 || question?.type == .ixfr)
        let skipped = Int(header.answerCount) + Int(header.authorityCount)
        for _ in 0..<skipped {
            guard cursor.readRecord() != nil else { return false }
        }
        for _ in 0..<header.additionalCount {
            guard let record = cursor.readRecord() else { return false }
            guard record.type == .opt else { continue }
            guard edns == nil else {
                valid = false
                continue
            }
            valid = readOPT(record, cursor.packet) && valid
        }
        return valid && cursor.isAtEnd && (header.questionCount == 1 || edns?.cookie != nil)
    }

    private mutating func readOPT(_ record: MessageCursor.Record, _ packet: UnsafeRawBufferPointer) -> Bool {
        var edns = EDNS(record)
        defer { self.edns = edns }
        guard record.ownerIsRoot else { return false }
        // Only version 0 defines the options. Other versions get BADVERS, whatever the options.
        return edns.version != 0 || edns.readOptions(packet)
    }
}
