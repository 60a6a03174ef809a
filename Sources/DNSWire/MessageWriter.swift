public import IPNetworks

/// Writes a reply into the caller's buffer: header, question, records by section, then the OPT record.
///
/// An RRset is written whole or not at all. Room for the OPT record is reserved from the start, so it always fits. The
/// writer takes over the buffer's storage, and `finish` returns it. If the caller reuses the buffer, nothing is
/// allocated.
public struct MessageWriter: ~Copyable {
    public enum Section { case answer, authority, additional }

    /// A record's owner: the name of the question (always the pointer `C00C`), or another name's wire bytes.
    public enum Owner {
        case question
        case name(UnsafeRawBufferPointer)
    }

    /// The storage. It is longer than the message, which ends at `length`.
    var bytes: [UInt8]
    var length: Int
    let limit: Int
    var names = CompressionTable()
    private var counts: (answer: UInt16, authority: UInt16, additional: UInt16) = (0, 0, 0)

    /// The OPT record that will end the message. Its length must not change after records were written.
    public var edns: ReplyEDNS?
    public var isAuthoritative = false
    public var isTruncated = false
    public var responseCode = ResponseCode.noError

    private let header: MessageHeader
    private let hasQuestion: Bool
    private let questionEnd: Int

    /// Starts the reply to `query`: echoes its id, opcode, RD and question, byte for byte.
    ///
    /// - Parameters:
    ///   - buffer: Its contents are discarded. The writer owns its storage until `finish`.
    ///   - limit: Maximum length of the message in bytes; at least 512.
    ///   - packet: The packet that `query` was read from.
    public init(
        taking buffer: inout [UInt8], limit: Int, replyingTo query: QueryMessage, in packet: UnsafeRawBufferPointer,
        edns: ReplyEDNS?
    ) {
        bytes = []
        swap(&bytes, &buffer)
        length = MessageHeader.length
        self.limit = limit
        self.edns = edns
        header = query.header
        hasQuestion = query.question != nil
        questionEnd = query.question?.range.upperBound ?? MessageHeader.length
        // `finish` fills in the header, when the counts are known.
        if let question = query.question {
            append(UnsafeRawBufferPointer(rebasing: packet[question.range]))
            names.recordLabels(of: bytes, from: MessageHeader.length, to: question.nameRange.upperBound - 1)
        }
    }

    /// A position in the message to which it can be rolled back.
    public struct Mark {
        fileprivate var length: Int
        fileprivate var nameCount: Int
        fileprivate var counts: (answer: UInt16, authority: UInt16, additional: UInt16)
    }

    /// The current end of the message.
    public var mark: Mark { Mark(length: length, nameCount: names.count, counts: counts) }

    /// Removes all records that were written after `mark`.
    public mutating func rollBack(to mark: Mark) {
        length = mark.length
        names.count = mark.nameCount
        counts = mark.counts
    }

    /// Bytes that remain for records.
    public var remaining: Int { limit - length - (edns?.length ?? 0) }

    /// Appends one RRset, or nothing if it does not fit.
    ///
    /// - Parameter data: For each record, a two-byte RDATA length in network order, then the uncompressed RDATA.
    /// - Returns: Whether the RRset was written.
    public mutating func appendRRset(
        _ owner: Owner, type: RecordType, recordClass: RecordClass = .in, ttl: UInt32, data: UnsafeRawBufferPointer,
        to section: Section
    ) -> Bool {
        let (start, room) = (length, remaining)
        let namesStart = names.count
        var position = 0
        var records: UInt16 = 0
        while position < data.count {
            let end = position + 2 + Int(data.networkUInt16(at: position))
            append(owner)
            append(type, recordClass.rawValue, ttl: ttl)
            appendData(UnsafeRawBufferPointer(rebasing: data[position + 2..<end]), type: type)
            if length - start > room {
                length = start
                names.count = namesStart
                return false
            }
            records += 1
            position = end
        }
        count(records, in: section)
        return true
    }

    /// Removes every record and sets TC. Header, question and OPT remain.
    public mutating func cutToQuestion() {
        length = questionEnd
        counts = (0, 0, 0)
        isTruncated = true
    }

    /// Returns the buffer to the caller, without a message.
    public consuming func discard(into buffer: inout [UInt8]) {
        bytes.removeAll(keepingCapacity: true)
        swap(&buffer, &bytes)
    }

    /// Completes the message and returns the buffer to the caller.
    public consuming func finish(into buffer: inout [UInt8]) {
        if let edns {
            append(edns)
            counts.additional += 1
        }
        var flags = MessageHeader.responseFlag | header.flags & (0x7800 | MessageHeader.recursionDesiredFlag)
        if isAuthoritative { flags |= MessageHeader.authoritativeFlag }
        if isTruncated { flags |= MessageHeader.truncatedFlag }
        flags |= responseCode.rawValue & 15
        let fields = (
            header.id.bigEndian, flags.bigEndian, UInt16(hasQuestion ? 1 : 0).bigEndian, counts.answer.bigEndian,
            counts.authority.bigEndian, counts.additional.bigEndian
        )
        reserve(0)
        bytes.withUnsafeMutableBytes { message in withUnsafeBytes(of: fields) { message.copyMemory(from: $0) } }
        bytes.removeLast(bytes.count - length)
        swap(&buffer, &bytes)
    }

    private mutating func count(_ records: UInt16, in section: Section) {
        switch section {
        case .answer: counts.answer += records
        case .authority: counts.authority += records
        case .additional: counts.additional += records
        }
    }
}

extension MessageWriter {
    mutating func append(_ byte: UInt8) { append(byte, byteCount: 1) }
    mutating func append(_ value: UInt16) { append(value.bigEndian, byteCount: 2) }

    mutating func append(_ source: UnsafeRawBufferPointer) {
        reserve(source.count)
        let start = length
        bytes.withUnsafeMutableBytes { UnsafeMutableRawBufferPointer(rebasing: $0[start...]).copyMemory(from: source) }
        length += source.count
    }

    /// Appends the first `byteCount` bytes of a number that is already in network order.
    @inline(__always)
    mutating func append(_ value: some FixedWidthInteger, byteCount: Int) {
        // The whole number is stored; what follows overwrites the excess bytes.
        reserve(16)
        let start = length
        bytes.withUnsafeMutableBytes { $0.storeBytes(of: value, toByteOffset: start, as: type(of: value)) }
        length += byteCount
    }

    /// Appends type, class and TTL with one store.
    mutating func append(_ type: RecordType, _ recordClass: UInt16, ttl: UInt32) {
        let fields = UInt64(type.rawValue) << 48 | UInt64(recordClass) << 32 | UInt64(ttl)
        append(fields.bigEndian, byteCount: 8)
    }

    mutating func appendZeros(_ count: Int) {
        reserve(count)
        let place = length..<length + count
        bytes.withUnsafeMutableBytes {
            _ = UnsafeMutableRawBufferPointer(rebasing: $0[place]).initializeMemory(as: UInt8.self, repeating: 0)
        }
        length += count
    }

    /// Extends the storage to `count` bytes beyond the message.
    @inline(__always)
    private mutating func reserve(_ count: Int) {
        if bytes.count - length < count { grow(count) }
    }

    @inline(never)
    private mutating func grow(_ count: Int) {
        let size = max(2 * bytes.count, length + count, Int(ReplyEDNS.payloadSize) + 64)
        bytes.append(contentsOf: repeatElement(0, count: size - bytes.count))
    }

    private mutating func append(_ owner: Owner) {
        switch owner {
        case .question: append(0xC000 | UInt16(MessageHeader.length))
        case .name(let name): appendCompressed(name)
        }
    }

    /// Appends RDLENGTH and RDATA, and compresses the names that may be compressed.
    private mutating func appendData(_ data: UnsafeRawBufferPointer, type: RecordType) {
        guard let layout = type.compressibleNames else {
            append(UInt16(data.count))
            append(data)
            return
        }
        let lengthPlace = length
        append(UInt16(0))
        append(UnsafeRawBufferPointer(rebasing: data.prefix(layout.offset)))
        var position = min(layout.offset, data.count)
        for _ in 0..<layout.count {
            guard let length = DomainName.wireLength(in: data, at: position) else { break }
            appendCompressed(UnsafeRawBufferPointer(rebasing: data[position..<position + length]))
            position += length
        }
        append(UnsafeRawBufferPointer(rebasing: data[position...]))
        let dataLength = length - lengthPlace - 2
        bytes[lengthPlace] = UInt8(truncatingIfNeeded: dataLength >> 8)
        bytes[lengthPlace + 1] = UInt8(truncatingIfNeeded: dataLength)
    }
}

extension MessageWriter {
    /// Appends an RRset of A or AAAA records (the type of the first address), or nothing if it does not fit.
    ///
    /// - Parameter addresses: All of one family.
    public mutating func appendAddresses(
        _ owner: Owner, _ addresses: [IPAddress], ttl: UInt32, to section: Section
    ) -> Bool {
        guard let family = addresses.first?.family else { return true }
        return withUnsafeTemporaryAllocation(byteCount: (2 + family.byteCount) * addresses.count, alignment: 1) {
            data in
            var position = 0
            for address in addresses {
                precondition(address.family == family, "the addresses of an RRset are of one family")
                data[position] = 0
                data[position + 1] = UInt8(family.byteCount)
                switch address {
                case .v4(let value): data.storeBytes(of: value.bigEndian, toByteOffset: position + 2, as: UInt32.self)
                case .v6(let value): data.storeBytes(of: value.bigEndian, toByteOffset: position + 2, as: UInt128.self)
                }
                position += 2 + family.byteCount
            }
            let type = RecordType(addressesOf: family)
            return appendRRset(owner, type: type, ttl: ttl, data: UnsafeRawBufferPointer(data), to: section)
        }
    }
}
