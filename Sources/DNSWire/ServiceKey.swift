/// A SvcParamKey of SVCB and HTTPS (RFC 9460, section 14.3.2, and the IANA registry).
public struct ServiceKey: RawRepresentable, Hashable, Sendable, Comparable, CustomStringConvertible {
    public let rawValue: UInt16
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    public static let mandatory = ServiceKey(rawValue: 0)
    public static let alpn = ServiceKey(rawValue: 1)
    public static let noDefaultALPN = ServiceKey(rawValue: 2)
    public static let port = ServiceKey(rawValue: 3)
    public static let ipv4hint = ServiceKey(rawValue: 4)
    public static let ech = ServiceKey(rawValue: 5)
    public static let ipv6hint = ServiceKey(rawValue: 6)
    /// RFC 9461, section 5.
    public static let dohpath = ServiceKey(rawValue: 7)
    /// RFC 9540, section 4.
    public static let ohttp = ServiceKey(rawValue: 8)

    private static let names = [
        "mandatory", "alpn", "no-default-alpn", "port", "ipv4hint", "ech", "ipv6hint", "dohpath", "ohttp",
    ]

    /// Reads a name in lower case, or `keyNNNNN` without leading zeros (RFC 9460, section 2.1).
    public init?(_ text: String) {
        if let known = Self.names.firstIndex(of: text) {
            rawValue = UInt16(known)
            return
        }
        // 65535 is reserved as an invalid key (section 14.3.2).
        guard text.hasPrefix("key"), let number = UInt16(text.dropFirst(3)), text == "key\(number)", number < 65_535
        else {
            return nil
        }
        rawValue = number
    }

    public var description: String {
        Int(rawValue) < Self.names.count ? Self.names[Int(rawValue)] : "key\(rawValue)"
    }

    public static func < (left: ServiceKey, right: ServiceKey) -> Bool { left.rawValue < right.rawValue }

    /// Whether `value` is valid for this key (RFC 9460, sections 7 and 8). Unknown keys accept any value.
    public func accepts(_ value: Slice<UnsafeRawBufferPointer>) -> Bool {
        switch self {
        case .mandatory:
            let keys = stride(from: value.startIndex, to: value.endIndex - 1, by: 2).map {
                Int(value[$0]) << 8 | Int(value[$0 + 1])
            }
            return !value.isEmpty && value.count % 2 == 0 && keys[0] != 0 && zip(keys, keys.dropFirst()).allSatisfy(<)
        case .alpn: return Self.isProtocolList(value)
        case .noDefaultALPN, .ohttp: return value.isEmpty
        case .port: return value.count == 2
        case .ipv4hint: return !value.isEmpty && value.count % 4 == 0
        case .ipv6hint: return !value.isEmpty && value.count % 16 == 0
        case .ech: return !value.isEmpty
        case .dohpath: return Self.isPathTemplate(value)
        default: return rawValue < 65_535
        }
    }

    /// Character strings of at least one byte.
    private static func isProtocolList(_ value: Slice<UnsafeRawBufferPointer>) -> Bool {
        var position = value.startIndex
        while position < value.endIndex {
            guard value[position] > 0 else { return false }
            position += 1 + Int(value[position])
        }
        return !value.isEmpty && position == value.endIndex
    }

    /// A relative URI template in UTF-8 with the variable "dns" (RFC 9461, section 5).
    private static func isPathTemplate(_ value: Slice<UnsafeRawBufferPointer>) -> Bool {
        guard let template = String(validating: value, as: UTF8.self), template.hasPrefix("/") else { return false }
        return template.split(separator: "{").dropFirst().contains { expression in
            guard let end = expression.firstIndex(of: "}") else { return false }
            return expression[..<end].split(whereSeparator: { "?&+#./;,".contains($0) }).contains("dns")
        }
    }
}
