public import DNSWire
import IPNetworks

extension ResourceRecord {
    /// The record as one line of a zone file: owner, TTL, class, type and RDATA separated by blanks, with absolute
    /// names.
    public var presentation: String { "\(owner) \(ttl) \(recordClass) \(type) \(type.presentation(of: data))" }
}

extension RecordType {
    /// RDATA of this type as text that a zone file reader parses to the same bytes: in the type's own form if the data
    /// is valid, else as `\# length hex` (RFC 3597, section 5).
    public func presentation(of data: [UInt8]) -> String {
        guard let layout, isWellFormed(data) else { return FieldText.generic(data) }
        return data.withUnsafeBytes { bytes in
            var (words, position): ([String], Int) = ([], 0)
            for field in layout {
                // Well-formed data has all fields.
                guard let length = field.length(in: bytes, at: position) else { return FieldText.generic(data) }
                let text = FieldText.text(of: field, data[position..<position + length])
                if !text.isEmpty { words.append(text) }
                position += length
            }
            // An empty list on its own would produce no word to parse.
            return words.isEmpty ? FieldText.generic(data) : words.joined(separator: " ")
        }
    }
}

/// The text of fields in the forms that `kdig` prints.
enum FieldText {
    static func generic(_ data: [UInt8]) -> String {
        data.isEmpty ? "\\# 0" : "\\# \(data.count) \(hex(data[...]))"
    }

    /// The text of a whole field.
    static func text(of field: DataField, _ data: ArraySlice<UInt8>) -> String {
        switch field {
        case .name: return DomainName(wire: data)?.description ?? "."
        case .uint8, .uint16, .uint32, .time, .algorithm, .certificateKind, .scheme, .ipProtocol:
            return "\(number(data))"
        case .timestamp: return CalendarTime(seconds: Int(number(data))).text
        case .type: return RecordType(rawValue: UInt16(number(data))).description
        case .ipv4, .ipv6: return IPAddress(bytes: data)?.description ?? ""
        case .eui48, .eui64: return data.map { hex([$0]).lowercased() }.joined(separator: "-")
        case .locator: return locator(data)
        case .string: return quoted(data.dropFirst())
        case .optionalString: return data.isEmpty ? "" : quoted(data.dropFirst())
        case .strings: return strings(data)
        case .tag, .digits, .decimal: return String(decoding: data.dropFirst(), as: UTF8.self)
        case .text: return quoted(data)
        case .hex: return hex(data)
        case .base64: return base64(data)
        case .optionalBase64(let hyphen): return data.isEmpty && hyphen ? "-" : base64(data)
        case .nsap: return "0x" + hex(data).lowercased()
        case .atmAddress: return atmAddress(data)
        case .salt: return data.count == 1 ? "-" : hex(data.dropFirst())
        case .hash: return base32Hex(data.dropFirst())
        case .typeBitmap: return types(data)
        case .oldTypeBitmap:
            return bits(data).map { RecordType(rawValue: UInt16($0)).description }.joined(separator: " ")
        case .portBitmap: return bits(data).map(String.init).joined(separator: " ")
        case .location: return location(Array(data))
        case .prefixes: return prefixes(data)
        case .gatewayAndKey: return gatewayAndKey(data)
        case .relay: return relay(data)
        case .hostIdentity: return hostIdentity(data)
        case .serviceParameters: return serviceParameters(data)
        }
    }

    static func number(_ data: ArraySlice<UInt8>) -> UInt32 { data.reduce(0) { $0 << 8 | UInt32($1) } }

    private static func strings(_ data: ArraySlice<UInt8>) -> String {
        var (words, rest): ([String], ArraySlice<UInt8>) = ([], data)
        while let length = rest.popFirst() {
            words.append(quoted(rest.prefix(Int(length))))
            rest = rest.dropFirst(Int(length))
        }
        return words.joined(separator: " ")
    }

    private static func quoted(_ data: ArraySlice<UInt8>) -> String {
        "\"\(escaped(data, special: "\"\\", blanks: true))\""
    }

    /// Printable ASCII unchanged, with a backslash before `special` characters; everything else as `\DDD`.
    static func escaped(_ data: some Sequence<UInt8>, special: String, blanks: Bool) -> String {
        var text = ""
        for byte in data {
            switch byte {
            case 0x21...0x7E,
                0x20 where blanks:
                if special.utf8.contains(byte) { text += "\\" }
                text.unicodeScalars.append(UnicodeScalar(byte))
            default: text += "\\" + String(String(1000 + Int(byte)).dropFirst())
            }
        }
        return text
    }

    private static func types(_ data: ArraySlice<UInt8>) -> String {
        var (names, rest): ([String], ArraySlice<UInt8>) = ([], data)
        while let window = rest.popFirst(), let length = rest.popFirst() {
            names += bits(rest.prefix(Int(length))).map {
                RecordType(rawValue: UInt16(window) << 8 | UInt16($0)).description
            }
            rest = rest.dropFirst(Int(length))
        }
        return names.joined(separator: " ")
    }

    /// The numbers of the bits that are set, from 0.
    private static func bits(_ data: ArraySlice<UInt8>) -> [Int] {
        data.enumerated().flatMap { index, byte in
            (0..<8).filter { byte & 0x80 >> UInt8($0) != 0 }.map { index * 8 + $0 }
        }
    }

    /// RFC 1876, section 3.
    private static func location(_ data: [UInt8]) -> String {
        func angle(_ place: Int, _ positive: String, _ negative: String) -> String {
            let value = Int(number(data[place..<place + 4])) - (1 << 31)
            let size = abs(value)
            return "\(size / 3_600_000) \(size / 60_000 % 60) \(decimal(size % 60_000, places: 3)) "
                + (value < 0 ? negative : positive)
        }
        func precision(_ byte: UInt8) -> String {
            decimal((0..<(byte & 15)).reduce(Int(byte >> 4)) { size, _ in size * 10 }, places: 2) + "m"
        }
        let altitude = Int(number(data[12..<16])) - 10_000_000
        return angle(4, "N", "S") + " " + angle(8, "E", "W") + " " + (altitude < 0 ? "-" : "")
            + decimal(abs(altitude), places: 2) + "m " + data[1..<4].map(precision).joined(separator: " ")
    }

    private static func decimal(_ value: Int, places: Int) -> String {
        let unit = places == 2 ? 100 : 1000
        return "\(value / unit)." + String(String(unit + value % unit).dropFirst())
    }
}
