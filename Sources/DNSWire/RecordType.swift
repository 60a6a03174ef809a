/// A resource record type or query type (RFC 1035, section 3.2.2, and the IANA registry).
public struct RecordType: RawRepresentable, Hashable, Sendable, Comparable {
    public let rawValue: UInt16
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    public static let a = RecordType(rawValue: 1)
    public static let ns = RecordType(rawValue: 2)
    public static let cname = RecordType(rawValue: 5)
    public static let soa = RecordType(rawValue: 6)
    public static let ptr = RecordType(rawValue: 12)
    public static let hinfo = RecordType(rawValue: 13)
    public static let mx = RecordType(rawValue: 15)
    public static let txt = RecordType(rawValue: 16)
    public static let rp = RecordType(rawValue: 17)
    public static let afsdb = RecordType(rawValue: 18)
    public static let aaaa = RecordType(rawValue: 28)
    public static let loc = RecordType(rawValue: 29)
    public static let srv = RecordType(rawValue: 33)
    public static let naptr = RecordType(rawValue: 35)
    public static let kx = RecordType(rawValue: 36)
    public static let cert = RecordType(rawValue: 37)
    public static let dname = RecordType(rawValue: 39)
    public static let opt = RecordType(rawValue: 41)
    public static let ds = RecordType(rawValue: 43)
    public static let sshfp = RecordType(rawValue: 44)
    public static let rrsig = RecordType(rawValue: 46)
    public static let nsec = RecordType(rawValue: 47)
    public static let dnskey = RecordType(rawValue: 48)
    public static let nsec3 = RecordType(rawValue: 50)
    public static let nsec3param = RecordType(rawValue: 51)
    public static let tlsa = RecordType(rawValue: 52)
    public static let smimea = RecordType(rawValue: 53)
    public static let cds = RecordType(rawValue: 59)
    public static let cdnskey = RecordType(rawValue: 60)
    public static let openpgpkey = RecordType(rawValue: 61)
    public static let csync = RecordType(rawValue: 62)
    public static let zonemd = RecordType(rawValue: 63)
    public static let svcb = RecordType(rawValue: 64)
    public static let https = RecordType(rawValue: 65)
    public static let spf = RecordType(rawValue: 99)
    public static let eui48 = RecordType(rawValue: 108)
    public static let eui64 = RecordType(rawValue: 109)
    public static let tkey = RecordType(rawValue: 249)
    public static let tsig = RecordType(rawValue: 250)
    public static let ixfr = RecordType(rawValue: 251)
    public static let axfr = RecordType(rawValue: 252)
    public static let mailb = RecordType(rawValue: 253)
    public static let maila = RecordType(rawValue: 254)
    public static let any = RecordType(rawValue: 255)
    public static let uri = RecordType(rawValue: 256)
    public static let caa = RecordType(rawValue: 257)

    /// Whether the type cannot be that of stored data: OPT and the query and meta types 128 to 255 (RFC 6895, section 3.1).
    public var isMeta: Bool { self == .opt || (128...255).contains(rawValue) }

    public static func < (left: RecordType, right: RecordType) -> Bool { left.rawValue < right.rawValue }
}
