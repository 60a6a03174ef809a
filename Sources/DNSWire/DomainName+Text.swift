/// Why a text is not a domain name.
public enum DomainNameError: Error, Hashable, Sendable, CustomStringConvertible {
    case empty
    case emptyLabel
    case labelTooLong
    case nameTooLong
    case badEscape

    public var description: String {
        switch self {
        case .empty: "a domain name is empty; write \".\" for the root"
        case .emptyLabel: "a domain name has an empty label; remove the doubled or leading dot"
        case .labelTooLong: "a label is longer than 63 bytes"
        case .nameTooLong: "a domain name is longer than 255 bytes on the wire"
        case .badEscape: "a backslash must be followed by one character or by three digits of at most 255"
        }
    }
}

extension DomainName: CustomStringConvertible {
    /// Reads an absolute name, with or without the final dot, with the escapes `\X` and `\DDD` of RFC 1035, section 5.1.
    public init(_ presentation: some StringProtocol) throws(DomainNameError) {
        try self.init(presentation: Array(presentation.utf8), relativeTo: .root)
    }

    /// Reads the name in `presentation`. A name that does not end in a dot is completed with `origin`.
    public init(presentation: some Collection<UInt8>, relativeTo origin: DomainName) throws(DomainNameError) {
        guard !presentation.isEmpty else { throw .empty }
        if presentation.elementsEqual([UInt8(ascii: ".")]) {
            self = .root
            return
        }
        var wire: [UInt8] = [0]
        var labelStart = 0
        var endedByDot = false
        var position = presentation.startIndex
        while position != presentation.endIndex {
            var byte = presentation[position]
            position = presentation.index(after: position)
            endedByDot = byte == UInt8(ascii: ".")
            if endedByDot {
                guard wire[labelStart] > 0 else { throw .emptyLabel }
                labelStart = wire.count
                wire.append(0)
                continue
            }
            if byte == UInt8(ascii: "\\") { byte = try Self.escapedByte(presentation, &position) }
            guard wire[labelStart] < Self.maximumLabelLength else { throw .labelTooLong }
            wire[labelStart] += 1
            wire.append(byte)
            guard wire.count < Self.maximumLength else { throw .nameTooLong }
        }
        if endedByDot {
            self.init(uncheckedWire: wire)
        } else {
            guard wire.count + origin.wire.count <= Self.maximumLength else { throw .nameTooLong }
            self.init(uncheckedWire: wire + origin.wire)
        }
    }

    /// The character after a backslash: `\DDD` in decimal, or the next byte itself.
    private static func escapedByte<Text: Collection<UInt8>>(
        _ text: Text, _ position: inout Text.Index
    ) throws(DomainNameError) -> UInt8 {
        guard position != text.endIndex else { throw .badEscape }
        let digits = text[position...].prefix(3)
        guard (0x30...0x39).contains(text[position]) else {
            defer { position = text.index(after: position) }
            return text[position]
        }
        guard digits.count == 3, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { throw .badEscape }
        let value = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        guard value <= 255 else { throw .badEscape }
        position = digits.endIndex
        return UInt8(value)
    }

    /// The absolute text, with the final dot. Everything except printable ASCII is escaped.
    public var description: String {
        guard !isRoot else { return "." }
        var text = ""
        for offset in labelOffsets {
            for byte in wire[(offset + 1)...].prefix(Int(wire[offset])) { text += Self.escaped(byte) }
            text += "."
        }
        return text
    }

    private static func escaped(_ byte: UInt8) -> String {
        switch byte {
        case UInt8(ascii: "."), UInt8(ascii: "\\"), UInt8(ascii: "\""), UInt8(ascii: ";"), UInt8(ascii: "("),
            UInt8(ascii: ")"), UInt8(ascii: "@"), UInt8(ascii: "$"):
            return "\\" + String(UnicodeScalar(byte))
        case 0x21...0x7E: return String(UnicodeScalar(byte))
        default:
            let digits = String(byte)
            return "\\" + String(repeating: "0", count: 3 - digits.count) + digits
        }
    }
}
