/// One field of RDATA in wire form. The module ZoneFile defines its text form.
public enum DataField: Sendable, Hashable {
    /// A domain name, uncompressed.
    case name
    case uint8, uint16, uint32
    /// 32 bits of seconds.
    case time
    /// 32 bits of seconds since 1970, in serial number arithmetic (RFC 4034, section 3.1.5).
    case timestamp
    /// 16 bits: a record type.
    case type
    /// 8 bits: a DNSSEC algorithm.
    case algorithm
    /// 16 bits: a kind of certificate (RFC 4398, section 2.1).
    case certificateKind
    /// 8 bits: how to reach the target of DSYNC (RFC 9859, section 2).
    case scheme
    case ipv4, ipv6, eui48, eui64
    /// 64 bits, in text four groups of hexadecimal digits (RFC 6742, section 2.1).
    case locator
    /// A length byte, then that many bytes (RFC 1035, section 3.3).
    case string
    /// A character string, or the end of the data (RFC 1183, section 3.2).
    case optionalString
    /// One or more character strings, to the end.
    case strings
    /// A character string of at least one letter or digit (RFC 8659, section 4.1).
    case tag
    /// A character string of at least four decimal digits (RFC 1183, section 3.1).
    case digits
    /// A character string with a decimal number from −`limit` to `limit`, or of any size if `nil` (RFC 1712, section
    /// 3).
    case decimal(limit: UInt8?)
    /// Text without a length, to the end. Unless `mayBeEmpty`, at least one byte.
    case text(mayBeEmpty: Bool)
    /// Bytes to the end, at least one.
    case hex, base64
    /// Bytes to the end, possibly none; then the text is a hyphen or empty.
    case optionalBase64(hyphen: Bool)
    /// Bytes to the end, at least one; in text, they follow `0x` (RFC 1706, section 7).
    case nsap
    /// A format byte and an address, to the end (ATM Forum, AF-DANS-0152.000).
    case atmAddress
    /// A length byte, then that many bytes, often none (RFC 5155, section 3.2).
    case salt
    /// A length byte, then at least one byte (RFC 5155, section 3.2).
    case hash
    /// Windows of types, to the end (RFC 4034, section 4.1.2).
    case typeBitmap
    /// One bit for each type from 0 to 127, to the end (RFC 2535, section 5.2).
    case oldTypeBitmap
    /// 8 bits: an IP protocol (RFC 1035, section 3.4.2).
    case ipProtocol
    /// One bit for each port, to the end (RFC 1035, section 3.4.2).
    case portBitmap
    /// The whole of LOC (RFC 1876, section 2).
    case location
    /// Address prefixes, to the end (RFC 3123, section 4).
    case prefixes
    /// Gateway type, algorithm, gateway and key: IPSECKEY after its precedence (RFC 4025, section 2.1).
    case gatewayAndKey
    /// Discovery flag, relay type and relay: AMTRELAY after its precedence (RFC 8777, section 4.2).
    case relay
    /// The whole of HIP (RFC 8005, section 5).
    case hostIdentity
    /// Keys with values in ascending order, to the end (RFC 9460, section 2.2).
    case serviceParameters
}
