/// An address and a port, as `192.0.2.53:53` or `[2001:db8::53]:53`.
public struct SocketEndpoint: Hashable, Sendable, CustomStringConvertible {
    public let address: IPAddress
    public let port: UInt16

    public init(address: IPAddress, port: UInt16) {
        self.address = address
        self.port = port
    }

    /// Reads `address:port`; an IPv6 address must be in brackets (RFC 3986, section 3.2.2). `nil` otherwise.
    public init?(_ text: some StringProtocol) {
        guard let colon = text.lastIndex(of: ":") else { return nil }
        let digits = text[text.index(after: colon)...]
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(digits)
        else { return nil }
        let host = text[..<colon]
        let bracketed = host.first == "[" && host.last == "]"
        guard let address = IPAddress(bracketed ? host.dropFirst().dropLast() : host),
            (address.family == .v6) == bracketed
        else { return nil }
        self.init(address: address, port: port)
    }

    public var description: String {
        switch address {
        case .v4: "\(address):\(port)"
        case .v6: "[\(address)]:\(port)"
        }
    }
}
