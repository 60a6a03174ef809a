import DNSWire
import IPNetworks

extension FieldReader {
    /// Reads the RDATA of `type` into `output`: in its own text form, or as `\# length hex` (RFC 3597, section 5), which
    /// every type takes.
    mutating func data(of type: RecordType) throws(ZoneFileError) {
        output.removeAll(keepingCapacity: true)
        if nextIs("\\#") {
            let start = tokens[index]
            index += 1
            try genericData()
            guard type.isWellFormed(output) else {
                throw error("this is not valid RDATA of \(type); write its text form", at: start)
            }
            return
        }
        guard let layout = type.layout else {
            throw error("\(type) has no text form here; write its RDATA as \\# length hex")
        }
        let names = FieldNames.of(type)
        for (number, field) in layout.enumerated() {
            try read(field, number < names.count ? names[number] : "the data")
        }
        guard output.count <= 65_535 else { throw error("the record is longer than 65535 bytes; shorten it") }
    }

    private mutating func genericData() throws(ZoneFileError) {
        let length = Int(try number("the RDATA length", upTo: 65_535))
        let count = try hexToEnd("the RDATA")
        guard count == length else {
            throw error("the RDATA has \(count) bytes and not \(length); correct the length or the digits")
        }
    }

    private mutating func read(_ field: DataField, _ what: String) throws(ZoneFileError) {
        switch field {
        case .name: try name(what)
        case .uint8: append(UInt8(try number(what, upTo: 255)))
        case .uint16: append(UInt16(try number(what, upTo: 65_535)))
        case .uint32: append(try number(what, upTo: .max))
        case .time: append(try time(what))
        case .timestamp: append(try timestamp(what))
        case .type: append(try type(what).rawValue)
        case .algorithm: append(UInt8(try numberOrMnemonic(what, upTo: 255, Mnemonics.algorithms)))
        case .certificateKind: append(UInt16(try numberOrMnemonic(what, upTo: 65_535, Mnemonics.certificates)))
        case .ipv4: try address(.v4)
        case .ipv6: try address(.v6)
        case .eui48: try hardwareAddress(what, byteCount: 6)
        case .eui64: try hardwareAddress(what, byteCount: 8)
        case .string: try string(what)
        case .strings: try strings(what)
        case .tag: try tag(what)
        case .text(let mayBeEmpty): try text(what, mayBeEmpty: mayBeEmpty)
        case .hex: try hex(what)
        case .base64: try base64ToEnd(what)
        case .salt: try salt(what)
        case .hash: try base32Hex(what)
        case .typeBitmap: try typeBitmap(what)
        case .location: try location()
        case .serviceParameters: try serviceParameters()
        }
    }

    private mutating func hex(_ what: String) throws(ZoneFileError) {
        let start = try token(what)
        guard try hexToEnd(what) > 0 else { throw error("\(what) is empty; write it in hexadecimal", at: start) }
    }

    private mutating func text(_ what: String, mayBeEmpty: Bool) throws(ZoneFileError) {
        let (start, place) = (try token(what), output.count)
        try bytes(what, upTo: 65_535 - output.count)
        guard mayBeEmpty || output.count > place else { throw error("\(what) is empty; write it", at: start) }
    }

    private mutating func address(_ family: IPFamily) throws(ZoneFileError) {
        let example = family == .v4 ? "an IPv4 address, like 192.0.2.1" : "an IPv6 address, like 2001:db8::1"
        guard !isAtEnd else { throw error("the address is missing; add \(example)") }
        if family == .v4, let value = Self.dottedQuad(text, tokens[index].range) {
            append(value)
        } else if family == .v6, let address = IPAddress(wordText), address.family == .v6 {
            output.append(contentsOf: address.bytes)
        } else {
            throw error("\"\(wordText)\" is not an address of this type; write \(example)")
        }
        index += 1
    }

    /// Four decimal numbers of 0 to 255, without leading zeros, as `IPAddress` reads them but without a `String`.
    private static func dottedQuad(_ text: [UInt8], _ range: Range<Int>) -> UInt32? {
        var (value, octet, digits, dots): (UInt32, UInt32, Int, Int) = (0, 0, 0, 0)
        for position in range {
            let byte = text[position]
            if byte == UInt8(ascii: ".") {
                guard digits > 0, dots < 3 else { return nil }
                (value, octet, digits, dots) = (value << 8 | octet, 0, 0, dots + 1)
            } else {
                guard isDigit(byte), !(digits > 0 && octet == 0) else { return nil }
                (octet, digits) = (octet * 10 + UInt32(byte - 0x30), digits + 1)
                guard octet <= 255 else { return nil }
            }
        }
        return digits > 0 && dots == 3 ? value << 8 | octet : nil
    }

    /// Bytes of two hexadecimal digits between hyphens (RFC 7043, sections 3.2 and 4.2).
    private mutating func hardwareAddress(_ what: String, byteCount: Int) throws(ZoneFileError) {
        let token = try token(what)
        let complaint = "\(what) is not \(byteCount) bytes like 00-1a-2b; write two digits a byte, with hyphens between"
        guard token.end - token.start == byteCount * 3 - 1 else { throw error(complaint) }
        for number in 0..<byteCount {
            let place = token.start + 3 * number
            guard let high = Self.hexDigit(text[place]), let low = Self.hexDigit(text[place + 1]),
                number == byteCount - 1 || text[place + 2] == UInt8(ascii: "-")
            else { throw error(complaint) }
            output.append(high << 4 | low)
        }
        index += 1
    }
}
