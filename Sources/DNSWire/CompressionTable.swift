/// Positions of labels in a message that later names can point to (RFC 1035, section 4.1.4).
///
/// The table is small and searched linearly, because replies have few distinct names. A name that is not found is
/// written in full, which is correct but longer.
struct CompressionTable {
    /// Pointers have 14 bits.
    private static let lastTarget = 0x3FFF
    private static let capacity = 32

    private var offsets = InlineArray<32, UInt16>(repeating: 0)
    /// Number of entries in use. The caller lowers it to remove the newest.
    var count = 0

    /// Adds the labels of the name written at `start`. They end before `end`, at the root label or a pointer. Of a name
    /// with many labels, only the last few are added, because other names share those.
    mutating func recordLabels(of message: [UInt8], from start: Int, to end: Int) {
        var labels = 0
        var position = start
        while position < end {
            labels += 1
            position += 1 + Int(message[position])
        }
        position = start
        while position < end {
            if labels <= 8 { record(position) }
            labels -= 1
            position += 1 + Int(message[position])
        }
    }

    private mutating func record(_ offset: Int) {
        guard count < Self.capacity, offset <= Self.lastTarget else { return }
        offsets[count] = UInt16(offset)
        count += 1
    }

    /// The position in `message` of `name` from `start` to its end.
    func find(_ name: UnsafeRawBufferPointer, from start: Int, in message: [UInt8]) -> Int? {
        for index in 0..<count where Self.matches(name, from: start, message, at: Int(offsets[index])) {
            return Int(offsets[index])
        }
        return nil
    }

    private static func matches(
        _ name: UnsafeRawBufferPointer, from start: Int, _ message: [UInt8], at offset: Int
    ) -> Bool {
        var (position, place) = (start, offset)
        while true {
            // This server wrote the message, so pointers lead backwards and end.
            while message[place] >= 0xC0 { place = Int(message[place] & 0x3F) << 8 | Int(message[place + 1]) }
            let length = Int(name[position])
            guard Int(message[place]) == length else { return false }
            guard length > 0 else { return true }
            for index in 1...length
            where DomainName.lowercased(name[position + index]) != DomainName.lowercased(message[place + index]) {
                return false
            }
            position += 1 + length
            place += 1 + length
        }
    }
}

extension MessageWriter {
    /// Appends a name, with a pointer to the longest suffix that the message already contains. The comparison ignores
    /// case, as always for names (RFC 4343, section 3).
    mutating func appendCompressed(_ name: UnsafeRawBufferPointer) {
        let start = length
        var position = 0
        while name[position] != 0 {
            if let target = names.find(name, from: position, in: bytes) {
                append(UnsafeRawBufferPointer(rebasing: name[..<position]))
                names.recordLabels(of: bytes, from: start, to: length)
                append(0xC000 | UInt16(target))
                return
            }
            position += 1 + Int(name[position])
        }
        append(name)
        names.recordLabels(of: bytes, from: start, to: length - 1)
    }
}
