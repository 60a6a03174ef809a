import DNSWire
import IPNetworks
import VisibleText

/// The parameters of SVCB and HTTPS (RFC 9460, section 2.1 and appendix A).
extension FieldReader {
    /// Reads `key` or `key=value` words in any order, to the end, and appends them in the order of keys. `output`
    /// already contains priority and target.
    mutating func serviceParameters() throws(ZoneFileError) {
        let isAlias = output[0] == 0 && output[1] == 0
        if isAlias, !isAtEnd {
            throw error("priority 0 means AliasMode, which has no parameters; remove them, or raise the priority")
        }
        var parameters: [(key: ServiceKey, value: [UInt8], place: Token)] = []
        while !isAtEnd {
            let place = tokens[index]
            let parameter = try serviceParameter()
            guard !parameters.contains(where: { $0.key == parameter.key }) else {
                throw error("\(parameter.key) occurs twice; remove one", at: place)
            }
            parameters.append((parameter.key, parameter.value, place))
        }
        parameters.sort { $0.key < $1.key }
        for parameter in parameters {
            if let missing = Self.required(by: parameter.key, parameter.value).first(where: { key in
                !parameters.contains { $0.key == key }
            }) {
                throw error("\(parameter.key) needs \(missing), which is missing; add it", at: parameter.place)
            }
            append(parameter.key.rawValue)
            append(UInt16(parameter.value.count))
            output += parameter.value
        }
    }

    /// The keys that are required if `key` has `value` (sections 7.1.1 and 8).
    private static func required(by key: ServiceKey, _ value: [UInt8]) -> [ServiceKey] {
        if key == .noDefaultALPN { return [.alpn] }
        guard key == .mandatory else { return [] }
        return stride(from: 0, to: value.count - 1, by: 2).map {
            ServiceKey(rawValue: UInt16(value[$0]) << 8 | UInt16(value[$0 + 1]))
        }
    }

    /// Reads one parameter. A quoted value is a separate word that directly follows the "=".
    private mutating func serviceParameter() throws(ZoneFileError) -> (key: ServiceKey, value: [UInt8]) {
        let (word, place) = (self.word, tokens[index])
        let equals = word.firstIndex(of: UInt8(ascii: "="))
        let name = String(decoding: word[..<(equals ?? word.endIndex)], as: UTF8.self)
        guard let key = ServiceKey(name), !place.isQuoted else {
            throw error("\(VisibleText.quoted(name)) is not a service parameter; correct it, or write key and a number")
        }
        var range = (equals.map { $0 + 1 } ?? place.end)..<place.end
        if equals == place.end - 1, index + 1 < tokens.count, tokens[index + 1].isQuoted,
            tokens[index + 1].start == place.end + 1
        {
            index += 1
            range = tokens[index].range
        }
        guard let bytes = unescaped(range) else {
            throw error(
                "the value of \(key) has a bad escape; write a backslash and three digits of at most 255", at: place)
        }
        let isGeneric = name.hasPrefix("key")
        guard let value = isGeneric ? bytes : Self.serviceValue(key, bytes), value.count <= 65_535,
            value.withUnsafeBytes({ key.accepts($0[...]) })
        else { throw error("the value of \(key) is not \(Self.expected(key)); correct it", at: place) }
        index += 1
        return (key, value)
    }

    private func unescaped(_ range: Range<Int>) -> [UInt8]? {
        var (bytes, position): ([UInt8], Int) = ([], range.lowerBound)
        while position < range.upperBound {
            var byte = text[position]
            position += 1
            if byte == UInt8(ascii: "\\") {
                guard let escaped = Self.escapedByte(text, &position, below: range.upperBound) else { return nil }
                byte = escaped
            }
            bytes.append(byte)
        }
        return bytes
    }

    private static func expected(_ key: ServiceKey) -> String {
        switch key {
        case .mandatory: "a list of other keys, each once, like alpn,ipv4hint"
        case .alpn: "a list of protocols of 1 to 255 bytes, like h2,h3"
        case .noDefaultALPN, .ohttp: "empty"
        case .port: "a number up to 65535"
        case .ipv4hint: "a list of IPv4 addresses, like 192.0.2.1,192.0.2.2"
        case .ipv6hint: "a list of IPv6 addresses, like 2001:db8::1,2001:db8::2"
        case .ech: "base64"
        case .dohpath: "a path with the variable dns, like /dns-query{?dns}"
        default: "at most 65535 bytes"
        }
    }

    /// The wire form of a known key's value; `nil` if the value is invalid for the key.
    private static func serviceValue(_ key: ServiceKey, _ text: [UInt8]) -> [UInt8]? {
        switch key {
        case .mandatory: mandatoryKeys(text)
        case .alpn:
            list(text)?.reduce(into: [UInt8]?([])) { all, item in
                all = (1...255).contains(item.count) ? all.map { $0 + [UInt8(item.count)] + item } : nil
            }
        case .port:
            GeneratedRange.number(text[...]).flatMap(UInt16.init(exactly:)).map {
                [UInt8($0 >> 8), UInt8($0 & 255)]
            }
        case .ipv4hint: addresses(text, .v4)
        case .ipv6hint: addresses(text, .v6)
        case .ech: base64(text)
        default: text
        }
    }

    /// Items separated by commas, with commas and backslashes in items escaped (appendix A.1); `nil` for a lone
    /// backslash.
    private static func list(_ text: [UInt8]) -> [[UInt8]]? {
        var items: [[UInt8]] = [[]]
        var rest = text[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: ",") {
                items.append([])
            } else if byte == UInt8(ascii: "\\") {
                guard let next = rest.popFirst() else { return nil }
                items[items.count - 1].append(next)
            } else {
                items[items.count - 1].append(byte)
            }
        }
        return items
    }

    private static func mandatoryKeys(_ text: [UInt8]) -> [UInt8]? {
        var keys: [ServiceKey] = []
        for item in text.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
            guard let key = ServiceKey(String(decoding: item, as: UTF8.self)), !keys.contains(key) else { return nil }
            keys.append(key)
        }
        return keys.sorted().flatMap { [UInt8($0.rawValue >> 8), UInt8($0.rawValue & 255)] }
    }

    private static func addresses(_ text: [UInt8], _ family: IPFamily) -> [UInt8]? {
        var bytes: [UInt8] = []
        for item in text.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
            guard let address = IPAddress(String(decoding: item, as: UTF8.self)), address.family == family else {
                return nil
            }
            bytes += address.bytes
        }
        return bytes
    }

    private static func base64(_ text: [UInt8]) -> [UInt8]? {
        var (decoder, bytes) = (Base64Decoder(), [UInt8]())
        for byte in text where !decoder.take(byte, into: &bytes) { return nil }
        return decoder.isComplete ? bytes : nil
    }
}
