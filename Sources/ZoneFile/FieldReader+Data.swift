import DNSWire

extension FieldReader {
    /// Reads the RDATA of `type` into `output`: in the type's own text form, or as `\# length hex` (RFC 3597, section
    /// 5), which is accepted for every type.
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
        case .scheme: append(UInt8(try numberOrMnemonic(what, upTo: 255, Mnemonics.schemes)))
        case .ipProtocol: append(UInt8(try numberOrMnemonic(what, upTo: 255, Mnemonics.protocols)))
        case .ipv4: try ipv4Address()
        case .ipv6: try ipv6Address()
        case .eui48: try hardwareAddress(what, byteCount: 6)
        case .eui64: try hardwareAddress(what, byteCount: 8)
        case .locator: try locator(what)
        case .string: try string(what)
        case .optionalString: if !isAtEnd { try string(what) }
        case .strings: try strings(what)
        case .tag: try string(what, of: field, "letters and digits, like issue, issuewild or iodef")
        case .digits: try string(what, of: field, "four decimal digits or more")
        case .decimal(let limit):
            try string(what, of: field, "a decimal number" + (limit.map { " from -\($0) to \($0)" } ?? ""))
        case .text(let mayBeEmpty): try text(what, mayBeEmpty: mayBeEmpty)
        case .hex: try hex(what)
        case .base64: try base64ToEnd(what)
        case .optionalBase64(let hyphen): try optionalBase64(what, hyphen: hyphen)
        case .nsap: try nsapAddress(what)
        case .atmAddress: try atmAddress(what)
        case .salt: try salt(what)
        case .hash: try base32Hex(what)
        case .typeBitmap: try typeBitmap(what)
        case .oldTypeBitmap: try oldTypeBitmap(what)
        case .portBitmap: try portBitmap(what)
        case .location: try location()
        case .prefixes: try prefixes(what)
        case .gatewayAndKey: try gatewayAndKey()
        case .relay: try relay()
        case .hostIdentity: try hostIdentity()
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
}
