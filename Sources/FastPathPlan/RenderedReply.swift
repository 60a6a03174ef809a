import DNSWire
import Resolution

/// A static reply: everything after the question, without OPT.
struct RenderedReply: Hashable, Sendable {
    var code: ResponseCode
    var isAuthoritative: Bool
    /// The verdict of the resolver.
    var verdict: Verdict
    /// Number of records in the answer, authority and additional section.
    var counts: [UInt16]
    var body: [UInt8]
    /// Offsets in `body` of compression pointers whose targets move with the end of the question, because they lead
    /// beyond the first byte of its name. In `body` they are stored less the length of that name.
    var movingPointers: [UInt16] = []
    /// Sent to clients that use EDNS (RFC 8914).
    var extendedError: ExtendedError?
    /// Whether clients that set DO get another reply, with signatures.
    var isForUnsigned = false
    /// Size of the first RRset. A client without room for it gets TC and no record. 0 if a part may be sent without it,
    /// or with another response code.
    private(set) var least = 0
    /// Whether the first RRset fits no client, so that `body` is unknown.
    private(set) var isTooLong = false

    /// Length of the body; if it is unknown, more than any client accepts.
    var length: Int { isTooLong ? Int(UInt16.max) : body.count }

    /// Reads a complete reply to a query with one question. The OPT record must be last; only its extended error is
    /// kept.
    init?(_ message: [UInt8], _ verdict: Verdict, nameLength: Int) {
        self.verdict = verdict
        guard message.count >= MessageHeader.length else { return nil }
        code = ResponseCode(rawValue: UInt16(message[3] & 15))
        isAuthoritative = message[2] & 4 != 0
        counts = [6, 8, 10].map { UInt16(message[$0]) << 8 | UInt16(message[$0 + 1]) }
        let start = MessageHeader.length + nameLength + 4
        guard start <= message.count else { return nil }
        body = Array(message[start...])
        guard scan(nameLength: nameLength) else { return nil }
        guard message[2] & 2 != 0 else { return }
        // The reply was rendered for the largest payload size that is possible.
        guard counts == [0, 0, 0] else { return nil }
        isTooLong = true
        least = length
    }

    /// The beginning of a record that is owned by the question's name, in a reply with data.
    init(beginning bytes: [UInt8]) {
        (code, isAuthoritative, verdict) = (.noError, true, .answeredTailored)
        (counts, body) = ([1, 0, 0], bytes)
    }

    /// The reply with pointers as they are in a message for a name of this length.
    func fixed(nameLength: Int) -> RenderedReply {
        var fixed = self
        for place in movingPointers.map(Int.init) {
            let target = UInt16(truncatingIfNeeded: Int(number(at: place)) + nameLength)
            fixed.body[place] = UInt8(target >> 8)
            fixed.body[place + 1] = UInt8(target & 0xFF)
        }
        fixed.movingPointers = []
        return fixed
    }

    /// Scans the records, and makes pointers relative to the name's length.
    private mutating func scan(nameLength: Int) -> Bool {
        var position = 0
        var first: RecordType?
        let section = counts.first { $0 > 0 } ?? 0
        for index in 0..<counts.reduce(0, { $0 + Int($1) }) {
            let start = position
            guard scanName(&position, nameLength), position + 10 <= body.count else { return false }
            let type = RecordType(rawValue: number(at: position))
            let length = Int(number(at: position + 8))
            position += 10
            let end = position + length
            guard end <= body.count else { return false }
            if type == .opt { return dropOPT(at: position - 11, end) }
            if let layout = type.compressibleNames {
                position += layout.offset
                for _ in 0..<layout.count where position < end {
                    guard scanName(&position, nameLength) else { return false }
                }
            }
            position = end
            // The first RRset continues as long as its type does. The owner is the same: only an alias is followed by
            // other owners.
            let goesOn = index < section && start == least && type == first && type != .cname && type != .dname
            if index == 0 || goesOn { least = end }
            first = first ?? type
        }
        // There is one RRset of signatures for each type they cover. The response code after aliases is that of the
        // last name.
        if first == .rrsig || counts[0] > 0 && code != .noError { least = 0 }
        return position == body.count
    }

    /// Removes the OPT record, which ends the message. Its only possible option is the extended error.
    private mutating func dropOPT(at start: Int, _ end: Int) -> Bool {
        guard end == body.count, counts[2] > 0 else { return false }
        if end == start + 17, number(at: start + 11) == OptionCode.extendedError {
            extendedError = ExtendedError(rawValue: number(at: start + 15))
        } else if end != start + 11 {
            return false
        }
        body.removeSubrange(start...)
        counts[2] -= 1
        return true
    }

    private mutating func scanName(_ position: inout Int, _ nameLength: Int) -> Bool {
        while position < body.count {
            let length = Int(body[position])
            if length == 0 {
                position += 1
                return true
            }
            guard length >= 0xC0 else {
                position += 1 + length
                continue
            }
            guard position + 1 < body.count else { return false }
            let target = Int(number(at: position)) & 0x3FFF
            if target > MessageHeader.length {
                movingPointers.append(UInt16(position))
                let relative = UInt16(0xC000 + target - nameLength)
                body[position] = UInt8(relative >> 8)
                body[position + 1] = UInt8(relative & 0xFF)
            }
            position += 2
            return true
        }
        return false
    }

    private func number(at position: Int) -> UInt16 { UInt16(body[position]) << 8 | UInt16(body[position + 1]) }
}
