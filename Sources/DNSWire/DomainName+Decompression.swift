extension DomainName {
    /// Reads the name at `position` of a message, without compression and in its original case (RFC 1035, section
    /// 4.1.4). `position` moves past the name.
    ///
    /// A pointer must lead to a place before the labels that it follows. So reading ends.
    ///
    /// - Returns: the wire form; `nil` if there is no valid name, or if it is longer than 255 bytes.
    package static func readWire(in message: UnsafeRawBufferPointer, at position: inout Int) -> [UInt8]? {
        var name: [UInt8] = []
        var place = position
        var start = position
        var end: Int?
        while place >= 0, place < message.count {
            let length = Int(message[place])
            if length >= 0xC0 {
                guard place + 1 < message.count else { return nil }
                let target = (length & 0x3F) << 8 | Int(message[place + 1])
                end = end ?? place + 2
                guard target < start else { return nil }
                (place, start) = (target, target)
                continue
            }
            guard length <= maximumLabelLength, place + 1 + length <= message.count,
                name.count + 1 + length <= maximumLength
            else { return nil }
            name += message[place...place + length]
            place += 1 + length
            guard length == 0 else { continue }
            position = end ?? place
            return name
        }
        return nil
    }

    /// Reads the name at `position` of a message, as `readWire(in:at:)`.
    package static func read(in message: UnsafeRawBufferPointer, at position: inout Int) -> DomainName? {
        readWire(in: message, at: &position).map(DomainName.init(uncheckedWire:))
    }
}
