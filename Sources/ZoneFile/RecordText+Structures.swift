import DNSWire
import IPNetworks

/// The text of fields with internal structure. Every field is passed whole.
extension FieldText {
    /// Four groups of four digits, as in RFC 6742, section 2.1.2.
    static func locator(_ data: ArraySlice<UInt8>) -> String {
        stride(from: data.startIndex, to: data.endIndex, by: 2).map { hex(data[$0..<$0 + 2]).lowercased() }
            .joined(separator: ":")
    }

    static func atmAddress(_ data: ArraySlice<UInt8>) -> String {
        let address = data.dropFirst()
        return data.first == 1 ? "+" + String(decoding: address, as: UTF8.self) : hex(address).lowercased()
    }

    /// RFC 3123, section 5.
    static func prefixes(_ data: ArraySlice<UInt8>) -> String {
        var (words, rest): ([String], ArraySlice<UInt8>) = ([], data)
        while rest.count >= 4 {
            let head = Array(rest.prefix(4))
            let length = Int(head[3] & 0x7F)
            let bytes = Array(rest.dropFirst(4).prefix(length))
            let address = IPAddress(bytes: bytes + Array(repeating: 0, count: (head[1] == 1 ? 4 : 16) - length))
            words.append("\(head[3] & 0x80 != 0 ? "!" : "")\(head[1]):\(address?.description ?? "")/\(head[2])")
            rest = rest.dropFirst(4 + length)
        }
        return words.joined(separator: " ")
    }

    /// RFC 4025, section 3.1.
    static func gatewayAndKey(_ data: ArraySlice<UInt8>) -> String {
        let head = Array(data.prefix(2))
        let (gateway, key) = gateway(head[0], data.dropFirst(2))
        return "\(head[0]) \(head[1]) \(gateway)" + (key.isEmpty ? "" : " \(base64(key))")
    }

    /// RFC 8777, section 4.3.1.
    static func relay(_ data: ArraySlice<UInt8>) -> String {
        let head = data.first ?? 0
        return "\(head >> 7) \(head & 0x7F) \(gateway(head & 0x7F, data.dropFirst()).text)"
    }

    /// A gateway's text, and the bytes after it.
    private static func gateway(_ type: UInt8, _ data: ArraySlice<UInt8>) -> (text: String, rest: ArraySlice<UInt8>) {
        switch DataField.Gateway(rawValue: type) {
        case .ipv4: (IPAddress(bytes: data.prefix(4))?.description ?? "", data.dropFirst(4))
        case .ipv6: (IPAddress(bytes: data.prefix(16))?.description ?? "", data.dropFirst(16))
        case .name: name(data)
        case .some(.none), nil: (".", data)
        }
    }

    /// RFC 8005, section 6.
    static func hostIdentity(_ data: ArraySlice<UInt8>) -> String {
        let head = Array(data.prefix(4))
        let (tag, key) = (data.dropFirst(4).prefix(Int(head[0])), data.dropFirst(4 + Int(head[0])))
        let keyLength = Int(head[2]) << 8 | Int(head[3])
        var (words, rest) = (["\(head[1])", hex(tag), base64(key.prefix(keyLength))], key.dropFirst(keyLength))
        while !rest.isEmpty {
            let server = name(rest)
            words.append(server.text)
            rest = server.rest
        }
        return words.joined(separator: " ")
    }

    /// The text of the name at the start, and the bytes after it.
    private static func name(_ data: ArraySlice<UInt8>) -> (text: String, rest: ArraySlice<UInt8>) {
        let length = data.withUnsafeBytes { DomainName.wireLength(in: $0, at: 0) } ?? data.count
        return (DomainName(wire: data.prefix(length))?.description ?? ".", data.dropFirst(length))
    }
}
