import DNSWire
import IPNetworks

extension FieldText {
    static func hex(_ data: ArraySlice<UInt8>) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        return String(decoding: data.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// RFC 4648, section 4.
    static func base64(_ data: ArraySlice<UInt8>) -> String {
        let text = digits(of: data, bits: 6, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        return text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
    }

    /// RFC 4648, section 7, without padding.
    static func base32Hex(_ data: ArraySlice<UInt8>) -> String {
        digits(of: data, bits: 5, "0123456789ABCDEFGHIJKLMNOPQRSTUV")
    }

    private static func digits(of data: ArraySlice<UInt8>, bits: Int, _ alphabet: String) -> String {
        let alphabet = Array(alphabet.utf8)
        var (text, value, held): ([UInt8], Int, Int) = ([], 0, 0)
        for byte in data {
            (value, held) = ((value << 8 | Int(byte)) & 0xFFFF, held + 8)
            while held >= bits {
                held -= bits
                text.append(alphabet[value >> held & (1 << bits - 1)])
            }
        }
        if held > 0 { text.append(alphabet[value << (bits - held) & (1 << bits - 1)]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// `key=value` words (RFC 9460, section 2.1). Values are escaped rather than quoted.
    static func serviceParameters(_ data: ArraySlice<UInt8>) -> String {
        var (words, rest): ([String], ArraySlice<UInt8>) = ([], data)
        while rest.count >= 4 {
            let key = ServiceKey(rawValue: UInt16(number(rest.prefix(2))))
            let length = Int(number(rest.dropFirst(2).prefix(2)))
            let value = rest.dropFirst(4).prefix(length)
            words.append(value.isEmpty ? "\(key)" : "\(key)=\(serviceValue(key, value))")
            rest = rest.dropFirst(4 + length)
        }
        return words.joined(separator: " ")
    }

    private static func serviceValue(_ key: ServiceKey, _ value: ArraySlice<UInt8>) -> String {
        func items(_ size: Int, _ text: (ArraySlice<UInt8>) -> String) -> String {
            stride(from: value.startIndex, to: value.endIndex, by: size).map { text(value[$0..<$0 + size]) }
                .joined(separator: ",")
        }
        switch key {
        case .mandatory: return items(2) { ServiceKey(rawValue: UInt16(number($0))).description }
        case .alpn: return protocols(value)
        case .port: return "\(number(value))"
        case .ipv4hint: return items(4) { IPAddress(bytes: $0)?.description ?? "" }
        case .ipv6hint: return items(16) { IPAddress(bytes: $0)?.description ?? "" }
        case .ech: return base64(value)
        default: return escapedValue(value)
        }
    }

    /// Escapes characters that would end a word or begin a quoted string.
    private static func escapedValue(_ value: some Sequence<UInt8>) -> String {
        escaped(value, special: "\"\\;()", blanks: false)
    }

    /// Escapes commas and backslashes in protocol names as list items, then the result as text (appendix A.1).
    private static func protocols(_ value: ArraySlice<UInt8>) -> String {
        var (items, rest): ([[UInt8]], ArraySlice<UInt8>) = ([], value)
        while let length = rest.popFirst() {
            items.append(
                rest.prefix(Int(length)).flatMap {
                    $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "\\") ? [UInt8(ascii: "\\"), $0] : [$0]
                })
            rest = rest.dropFirst(Int(length))
        }
        return escapedValue(items.joined(separator: [UInt8(ascii: ",")]))
    }
}
