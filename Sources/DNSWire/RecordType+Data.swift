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
    case ipv4, ipv6, eui48, eui64
    /// A length byte and as many bytes (RFC 1035, section 3.3).
    case string
    /// One character string or more, to the end.
    case strings
    /// A character string of one letter or digit at least (RFC 8659, section 4.1).
    case tag
    /// Text without a length, to the end; `mayBeEmpty` or one byte at least.
    case text(mayBeEmpty: Bool)
    /// Bytes to the end, one at least.
    case hex, base64
    /// A length byte and as many bytes, often none (RFC 5155, section 3.2).
    case salt
    /// A length byte and one byte or more (RFC 5155, section 3.2).
    case hash
    /// Windows of types, to the end (RFC 4034, section 4.1.2).
    case typeBitmap
    /// The whole of LOC (RFC 1876, section 2).
    case location
    /// Keys with values in rising order, to the end (RFC 9460, section 2.2).
    case serviceParameters
}

private let layouts: [RecordType: [DataField]] = [
    .a: [.ipv4], .aaaa: [.ipv6],
    .ns: [.name], .cname: [.name], .dname: [.name], .ptr: [.name],
    .soa: [.name, .name, .uint32, .time, .time, .time, .time],
    .mx: [.uint16, .name], .afsdb: [.uint16, .name], .kx: [.uint16, .name], .rp: [.name, .name],
    .txt: [.strings], .spf: [.strings], .hinfo: [.string, .string],
    .srv: [.uint16, .uint16, .uint16, .name],
    .naptr: [.uint16, .uint16, .string, .string, .string, .name],
    .caa: [.uint8, .tag, .text(mayBeEmpty: true)],
    .uri: [.uint16, .uint16, .text(mayBeEmpty: false)],
    .loc: [.location], .eui48: [.eui48], .eui64: [.eui64],
    .svcb: [.uint16, .name, .serviceParameters], .https: [.uint16, .name, .serviceParameters],
    .tlsa: [.uint8, .uint8, .uint8, .hex], .smimea: [.uint8, .uint8, .uint8, .hex],
    .sshfp: [.uint8, .uint8, .hex], .openpgpkey: [.base64],
    .cert: [.certificateKind, .uint16, .algorithm, .base64],
    .ds: [.uint16, .algorithm, .uint8, .hex], .cds: [.uint16, .algorithm, .uint8, .hex],
    .dnskey: [.uint16, .uint8, .algorithm, .base64], .cdnskey: [.uint16, .uint8, .algorithm, .base64],
    .rrsig: [.type, .algorithm, .uint8, .uint32, .timestamp, .timestamp, .uint16, .name, .base64],
    .nsec: [.name, .typeBitmap],
    .nsec3: [.uint8, .uint8, .uint16, .salt, .hash, .typeBitmap], .nsec3param: [.uint8, .uint8, .uint16, .salt],
    .csync: [.uint32, .uint16, .typeBitmap], .zonemd: [.uint32, .uint8, .uint8, .hex],
]

/// The same by number: every record of a zone is read and checked by its layout.
private let layoutsByNumber = (0...(layouts.keys.max()?.rawValue ?? 0)).map { layouts[RecordType(rawValue: $0)] }

extension RecordType {
    /// The fields of this type's RDATA in order; `nil` for a type that is only copied (RFC 3597).
    public var layout: [DataField]? { rawValue < layoutsByNumber.count ? layoutsByNumber[Int(rawValue)] : nil }

    /// Whether `data` is RDATA of this type: whole fields and nothing behind them. Data of a type without a layout is well
    /// formed when the names that answering would compress are whole.
    public func isWellFormed(_ data: [UInt8]) -> Bool { data.withUnsafeBytes { isWellFormed($0) } }

    /// As above, of bytes that are only read during the call.
    public func isWellFormed(_ data: UnsafeRawBufferPointer) -> Bool {
        // Most data of a large zone is addresses.
        if self == .a { return data.count == 4 }
        if self == .aaaa { return data.count == 16 }
        guard data.count <= 65_535 else { return false }
        var position = 0
        if let layout {
            for field in layout {
                guard let length = field.length(in: data, at: position) else { return false }
                position += length
            }
            return position == data.count
        }
        guard let names = compressibleNames else { return true }
        position = names.offset
        for _ in 0..<names.count {
            guard let length = DomainName.wireLength(in: data, at: position) else { return false }
            position += length
        }
        return position == data.count
    }
}
