/// The two address families, with the address family numbers of IANA, as in EDNS Client Subnet (RFC 7871, section 6).
public enum IPFamily: UInt8, Sendable, CaseIterable {
    case v4 = 1
    case v6 = 2

    /// As people write it: `IPv4` or `IPv6`.
    public var name: String { self == .v4 ? "IPv4" : "IPv6" }
    /// Bits in an address: 32 or 128.
    public var bitWidth: Int { self == .v4 ? 32 : 128 }
    /// Bytes in an address: 4 or 16.
    public var byteCount: Int { bitWidth / 8 }
}

/// An IPv4 or IPv6 address, without a port, prefix length or zone.
///
/// The payloads are integers in host order: `192.0.2.1` is `.v4(0xC000_0201)`. All IPv4 addresses sort before all IPv6
/// addresses. An IPv4-mapped IPv6 address is an IPv6 address and never equals its IPv4 form.
public enum IPAddress: Hashable, Sendable, Comparable {
    case v4(UInt32)
    case v6(UInt128)

    public var family: IPFamily {
        switch self {
        case .v4: .v4
        case .v6: .v6
        }
    }

    /// The address in network order: 4 or 16 bytes.
    public var bytes: [UInt8] {
        switch self {
        case .v4(let value): (0..<4).map { UInt8(truncatingIfNeeded: value >> UInt32(24 - 8 * $0)) }
        case .v6(let value): (0..<16).map { UInt8(truncatingIfNeeded: value >> UInt128(120 - 8 * $0)) }
        }
    }

    /// Reads 4 or 16 bytes in network order; `nil` for any other count.
    public init?(bytes: some Collection<UInt8>) {
        switch bytes.count {
        case 4: self = .v4(bytes.reduce(0) { $0 << 8 | UInt32($1) })
        case 16: self = .v6(bytes.reduce(0) { $0 << 8 | UInt128($1) })
        default: return nil
        }
    }

    /// The address with all bits after the first `length` cleared.
    ///
    /// - Precondition: `length` is in `0...family.bitWidth`.
    public func masked(to length: Int) -> IPAddress {
        precondition(length >= 0 && length <= family.bitWidth, "a prefix length lies between 0 and the address width")
        return switch self {
        // Swift's smart shifts give 0 for a shift by the full width.
        case .v4(let value): .v4(value & (UInt32.max << (32 - length)))
        case .v6(let value): .v6(value & (UInt128.max << (128 - length)))
        }
    }

    /// Order by family, then by value.
    public static func < (left: IPAddress, right: IPAddress) -> Bool {
        switch (left, right) {
        case (.v4(let left), .v4(let right)): left < right
        case (.v6(let left), .v6(let right)): left < right
        case (.v4, .v6): true
        case (.v6, .v4): false
        }
    }
}
