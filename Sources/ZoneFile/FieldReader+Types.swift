import DNSWire

extension FieldReader {
    /// A type by its mnemonic or as `TYPEnnn`.
    mutating func type(_ what: String) throws(ZoneFileError) -> RecordType {
        _ = try token(what)
        guard let type = RecordType(ascii: word) else {
            throw error("\(shownWord) in \(what) is not a record type; correct it, or write TYPE and its number")
        }
        index += 1
        return type
    }

    /// Reads all remaining words as types, and appends their bitmap (RFC 4034, section 4.1.2). No types give an empty
    /// bitmap.
    mutating func typeBitmap(_ what: String) throws(ZoneFileError) {
        var types: [UInt16] = []
        while !isAtEnd { types.append(try type(what).rawValue) }
        types.sort()
        var first = 0
        while first < types.count {
            let window = types[first] >> 8
            let next = types[first...].firstIndex { $0 >> 8 != window } ?? types.count
            let start = output.count
            let length = Int(types[next - 1] & 255) / 8 + 1
            output.append(UInt8(window))
            output.append(UInt8(length))
            output.append(contentsOf: repeatElement(0, count: length))
            for type in types[first..<next] { output[start + 2 + Int(type & 255) / 8] |= 0x80 >> UInt8(type & 7) }
            first = next
        }
    }

    /// Reads all remaining words as types up to 127, and appends one bit for each type from 0 on (RFC 2535, section
    /// 5.2).
    mutating func oldTypeBitmap(_ what: String) throws(ZoneFileError) {
        let start = output.count
        while !isAtEnd {
            let type = try type(what).rawValue
            guard (1...127).contains(type) else {
                index -= 1
                throw error("\(shownWord) in \(what) is not a type from 1 to 127; remove it")
            }
            setBit(Int(type), from: start)
        }
    }

    /// Reads all remaining words as ports or service names, and appends one bit for each port from 0 on (RFC 1035,
    /// section 3.4.2).
    mutating func portBitmap(_ what: String) throws(ZoneFileError) {
        let start = output.count
        while !isAtEnd { setBit(Int(try numberOrMnemonic(what, upTo: 65_535, Mnemonics.services)), from: start) }
    }

    /// Sets a bit in the bitmap that begins at `start` of the output. The bitmap grows as needed.
    private mutating func setBit(_ bit: Int, from start: Int) {
        let place = start + bit / 8
        if place >= output.count { output.append(contentsOf: repeatElement(0, count: place + 1 - output.count)) }
        output[place] |= 0x80 >> UInt8(bit & 7)
    }
}
