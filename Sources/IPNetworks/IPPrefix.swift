/// A network: an address whose bits after `length` are zero.
public struct IPPrefix: Hashable, Sendable, CustomStringConvertible {
    /// The network's first address.
    public let address: IPAddress
    /// Number of leading bits that its addresses share: `0...32` or `0...128`.
    public let length: Int

    public var family: IPFamily { address.family }

    /// The network of `length` bits that contains `address`; host bits are cleared.
    ///
    /// - Precondition: `length` is in `0...address.family.bitWidth`.
    public init(address: IPAddress, length: Int) {
        self.address = address.masked(to: length)
        self.length = length
    }

    /// Reads `198.51.100.0/24` or `2001:db8::/32`. Non-zero host bits are rejected (`nil`), so that a mistyped length
    /// is noticed.
    public init?(_ text: some StringProtocol) {
        guard let slash = text.firstIndex(of: "/"), let address = IPAddress(text[..<slash]),
            let length = Self.decimal(text[text.index(after: slash)...]), length <= address.family.bitWidth,
            address.masked(to: length) == address
        else { return nil }
        self.address = address
        self.length = length
    }

    /// Digits only (no sign, no leading zero), at most three of them.
    private static func decimal(_ text: some StringProtocol) -> Int? {
        guard (1...3).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            text.utf8.count == 1 || text.utf8.first != 0x30
        else { return nil }
        return Int(text)
    }

    /// The network's last address.
    public var lastAddress: IPAddress {
        switch address {
        case .v4(let value): .v4(value | ~(UInt32.max << (32 - length)))
        case .v6(let value): .v6(value | ~(UInt128.max << (128 - length)))
        }
    }

    /// Whether `address` is of the same family and inside the network.
    public func contains(_ address: IPAddress) -> Bool {
        address.family == family && address.masked(to: length) == self.address
    }

    /// Whether `other` is this network or a part of it.
    public func contains(_ other: IPPrefix) -> Bool { other.length >= length && contains(other.address) }

    /// Whether it is part of 2002::/16 (RFC 3056), whose addresses represent IPv4 networks.
    public var isSixToFour: Bool {
        guard case .v6(let bits) = address else { return false }
        return length >= 16 && bits >> 112 == 0x2002
    }

    /// Whether it is part of ::ffff:0:0/96 (RFC 4291, section 2.5.5.2), the IPv4-mapped addresses.
    public var isMapped: Bool {
        guard case .v6(let bits) = address else { return false }
        return length >= 96 && bits >> 32 == 0xffff
    }

    public var description: String { "\(address)/\(length)" }
}
