public import IPNetworks

/// The EDNS Client Subnet option (RFC 7871, section 6).
public struct ClientSubnet: Hashable, Sendable {
    public var family: IPFamily { address.family }
    /// SOURCE PREFIX-LENGTH: the number of address bits that the sender discloses, `0...family.bitWidth`.
    public var sourceLength: UInt8
    /// SCOPE PREFIX-LENGTH: 0 in queries; in answers, the number of bits that the answer depends on.
    public var scopeLength: UInt8
    /// The address as sent. Bits after `sourceLength` are zero.
    public var address: IPAddress

    /// - Precondition: `sourceLength` is at most the address's width, and the bits after it are cleared.
    public init(address: IPAddress, sourceLength: UInt8, scopeLength: UInt8 = 0) {
        self.address = address.masked(to: Int(sourceLength))
        self.sourceLength = sourceLength
        self.scopeLength = scopeLength
    }

    /// The network of `sourceLength` bits.
    public var prefix: IPPrefix { IPPrefix(address: address, length: Int(sourceLength)) }

    /// Bytes of the address on the wire: the minimum for the source length.
    public var addressByteCount: Int { (Int(sourceLength) + 7) / 8 }
    /// Bytes of the option's data.
    public var dataLength: Int { 4 + addressByteCount }

    /// Reads the option's data from a query. `nil` is a format error (RFC 7871, sections 6 and 7.1.2): an unknown
    /// family, a source length beyond the address, a scope that is not 0, too few or too many address bytes, or bits
    /// set after the source length. Family 0 is always an error, because it has no format (section 6). A sender that
    /// wants to opt out sends source length 0 in family 1 or 2.
    init?(queryOption data: UnsafeRawBufferPointer) {
        guard data.count >= 4, data[0] == 0, let family = IPFamily(rawValue: data[1]) else { return nil }
        let (source, scope) = (data[2], data[3])
        let count = data.count - 4
        guard source <= family.bitWidth, scope == 0, count == (Int(source) + 7) / 8 else { return nil }
        var value: UInt128 = 0
        for index in 0..<count { value = value << 8 | UInt128(data[4 + index]) }
        let address: IPAddress =
            switch family {
            case .v4: .v4(UInt32(truncatingIfNeeded: value << UInt128(32 - 8 * count)))
            case .v6: .v6(value << UInt128(128 - 8 * count))
            }
        guard address.masked(to: Int(source)) == address else { return nil }
        self.address = address
        self.sourceLength = source
        self.scopeLength = scope
    }
}
