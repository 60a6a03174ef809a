import DNSWire

extension FieldReader {
    /// A type by its mnemonic or as `TYPEnnn`.
    mutating func type(_ what: String) throws(ZoneFileError) -> RecordType {
        _ = try token(what)
        guard let type = RecordType(ascii: word) else {
            throw error("\(shownWord) in \(what) is no record type; correct it, or write TYPE and its number")
        }
        index += 1
        return type
    }

    /// All words that are left are types; appends their bitmap (RFC 4034, section 4.1.2). None makes an empty bitmap.
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
}
