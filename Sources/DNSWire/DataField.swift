/// One field of RDATA: what it is on the wire. Its text form is the zone file's.
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
    /// A length byte and as many bytes (RFC 1035, section 3.3).
    case string
    /// A character string, or the end of the data (RFC 1183, section 3.2).
    case optionalString
    /// One character string or more, to the end.
    case strings
    /// A character string of one letter or digit at least (RFC 8659, section 4.1).
    case tag
    /// A character string of four decimal digits at least (RFC 1183, section 3.1).
    case digits
    /// A character string that is a decimal number from −`limit` to `limit`, of any size for `nil` (RFC 1712, section 3).
    case decimal(limit: UInt8?)
    /// Text without a length, to the end; `mayBeEmpty` or one byte at least.
    case text(mayBeEmpty: Bool)
    /// Bytes to the end, one at least.
    case hex, base64
    /// Bytes to the end, perhaps none: in text a hyphen then, or nothing.
    case optionalBase64(hyphen: Bool)
    /// Bytes to the end, one at least; in text behind `0x` (RFC 1706, section 7).
    case nsap
    /// A format byte and an address, to the end (ATM Forum, AF-DANS-0152.000).
    case atmAddress
    /// A length byte and as many bytes, often none (RFC 5155, section 3.2).
    case salt
    /// A length byte and one byte or more (RFC 5155, section 3.2).
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
    /// The gateway's type, an algorithm, the gateway and a key: IPSECKEY behind its precedence (RFC 4025, section 2.1).
    case gatewayAndKey
    /// One bit, the relay's type and the relay: AMTRELAY behind its precedence (RFC 8777, section 4.2).
    case relay
    /// The whole of HIP (RFC 8005, section 5).
    case hostIdentity
    /// Keys with values in rising order, to the end (RFC 9460, section 2.2).
    case serviceParameters
}
