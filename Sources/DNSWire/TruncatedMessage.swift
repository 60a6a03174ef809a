/// Truncation of messages that are already complete.
public enum TruncatedMessage {
    /// Truncates a message, in place, to its header, question and OPT record, and sets TC, so that the client retries
    /// over TCP (RFC 2181, section 9).
    ///
    /// - Returns: The new length of the message; 0 if it cannot be parsed.
    public static func make(of message: UnsafeMutableRawBufferPointer) -> Int {
        let packet = UnsafeRawBufferPointer(message)
        guard let header = MessageHeader(packet), header.questionCount <= 1 else { return 0 }
        var cursor = MessageCursor(packet)
        var end = MessageHeader.length
        if header.questionCount == 1 {
            guard let question = cursor.readQuestion() else { return 0 }
            end = question.range.upperBound
        }
        var additional: UInt16 = 0
        for _ in 0..<Int(header.answerCount) + Int(header.authorityCount) + Int(header.additionalCount) {
            guard let record = cursor.readRecord() else { return 0 }
            guard record.ownerIsRoot, record.type == .opt else { continue }
            // The root owner's byte and the ten bytes of fixed fields precede the data.
            let place = record.dataRange.lowerBound - 11..<record.dataRange.upperBound
            UnsafeMutableRawBufferPointer(rebasing: message[end...]).copyMemory(
                from: UnsafeRawBufferPointer(rebasing: packet[place]))
            end += place.count
            additional = 1
            break
        }
        let flags = header.flags | MessageHeader.truncatedFlag
        for (offset, value) in [(2, flags), (6, 0), (8, 0), (10, additional)] {
            message.storeBytes(of: value.bigEndian, toByteOffset: offset, as: UInt16.self)
        }
        return end
    }
}
