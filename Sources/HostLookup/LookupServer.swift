public import IPNetworks

/// A recursive server that lookups ask.
public struct LookupServer: Hashable, Sendable, CustomStringConvertible {
    /// 4 or 16 bytes.
    package let address: [UInt8]
    package let port: UInt16

    public init(_ address: IPAddress, port: UInt16 = 53) { (self.address, self.port) = (address.bytes, port) }

    public var description: String {
        let text = IPAddress(bytes: address).map { "\($0)" } ?? "?"
        return port == 53 ? text : address.count == 4 ? "\(text):\(port)" : "[\(text)]:\(port)"
    }
}

extension LookupServer {
    /// The servers of a resolv.conf(5), at most three, as the C library takes. Addresses with a zone are left out.
    package static func list(_ text: String) -> [LookupServer] {
        let found = text.split(whereSeparator: \.isNewline).compactMap { line -> LookupServer? in
            let words = line.split { $0 == " " || $0 == "\t" }
            guard words.count >= 2, words[0] == "nameserver" else { return nil }
            return IPAddress(String(words[1])).map { LookupServer($0) }
        }
        return Array(found.prefix(3))
    }
}
