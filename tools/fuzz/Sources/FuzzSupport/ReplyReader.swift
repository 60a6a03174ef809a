/// Walks a reply by RFC 1035 alone, sharing no code with the writer.
public struct ReplyReader {
    private let bytes: [UInt8]
    private var position = 12

    /// Stops the run where the reply is no whole message: counts, names and lengths have to add up to its end.
    public static func check(_ reply: [UInt8]) {
        var reader = ReplyReader(bytes: reply)
        for _ in 0..<reader.number(at: 4) {
            reader.skipName()
            reader.position += 4
        }
        let records = reader.number(at: 6) + reader.number(at: 8) + reader.number(at: 10)
        for _ in 0..<records { reader.skipRecord() }
        require(reader.position == reply.count, "\(reply.count - reader.position) bytes are left over")
    }

    private func number(at offset: Int) -> Int {
        require(offset + 2 <= bytes.count, "the reply ends in the middle")
        return Int(bytes[offset]) << 8 | Int(bytes[offset + 1])
    }

    private mutating func skipRecord() {
        skipName()
        let length = number(at: position + 8)
        position += 10 + length
        require(position <= bytes.count, "RDATA reaches beyond the end")
    }

    /// A pointer must lead backwards, to a name that ends (RFC 1035, section 4.1.4).
    private mutating func skipName() {
        var (place, end, length) = (position, Int?.none, 0)
        while true {
            require(place < bytes.count, "a name reaches beyond the end")
            let label = Int(bytes[place])
            if label >= 0xC0 {
                let target = number(at: place) & 0x3FFF
                require(target < place, "a pointer leads forwards")
                end = end ?? place + 2
                place = target
                continue
            }
            require(label <= 63, "a label of a reserved kind")
            length += 1 + label
            require(length <= 255, "a name of more than 255 bytes")
            place += 1 + label
            if label == 0 { break }
        }
        position = end ?? place
    }
}
