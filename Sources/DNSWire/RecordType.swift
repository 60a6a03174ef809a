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
    public static let aaaa = RecordType(rawValue: 28)
    public static let srv = RecordType(rawValue: 33)
    public static let naptr = RecordType(rawValue: 35)
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
    public static let cds = RecordType(rawValue: 59)
    public static let cdnskey = RecordType(rawValue: 60)
    public static let svcb = RecordType(rawValue: 64)
    public static let https = RecordType(rawValue: 65)
    public static let tkey = RecordType(rawValue: 249)
    public static let tsig = RecordType(rawValue: 250)
    public static let ixfr = RecordType(rawValue: 251)
    public static let axfr = RecordType(rawValue: 252)
    public static let mailb = RecordType(rawValue: 253)
    public static let maila = RecordType(rawValue: 254)
    public static let any = RecordType(rawValue: 255)
    public static let caa = RecordType(rawValue: 257)

    /// Whether the type cannot be that of stored data: OPT and the query and meta types 128 to 255 (RFC 6895, section 3.1).
    public var isMeta: Bool { self == .opt || (128...255).contains(rawValue) }

    public static func < (left: RecordType, right: RecordType) -> Bool { left.rawValue < right.rawValue }

    private static let names: [(RecordType, String)] = [
        (.a, "A"), (.ns, "NS"), (.cname, "CNAME"), (.soa, "SOA"), (.ptr, "PTR"), (.hinfo, "HINFO"), (.mx, "MX"),
        (.txt, "TXT"), (.aaaa, "AAAA"), (.srv, "SRV"), (.naptr, "NAPTR"), (.dname, "DNAME"), (.opt, "OPT"), (.ds, "DS"),
        (.sshfp, "SSHFP"), (.rrsig, "RRSIG"), (.nsec, "NSEC"), (.dnskey, "DNSKEY"), (.nsec3, "NSEC3"),
        (.nsec3param, "NSEC3PARAM"), (.tlsa, "TLSA"), (.cds, "CDS"), (.cdnskey, "CDNSKEY"), (.svcb, "SVCB"),
        (.https, "HTTPS"), (.tkey, "TKEY"), (.tsig, "TSIG"), (.ixfr, "IXFR"), (.axfr, "AXFR"), (.mailb, "MAILB"),
        (.maila, "MAILA"), (.any, "ANY"), (.caa, "CAA"),
    ]
    private static let byName = Dictionary(uniqueKeysWithValues: names.map { ($0.1, $0.0) })
    private static let byType = Dictionary(uniqueKeysWithValues: names)
}

extension RecordType: CustomStringConvertible {
    /// Reads a mnemonic or the form `TYPEnnn` of RFC 3597, section 5, in any case.
    public init?(_ text: some StringProtocol) {
        let text = text.uppercased()
        if let type = Self.byName[text] {
            self = type
        } else if let value = genericNumber(text, after: "TYPE") {
            self.init(rawValue: value)
        } else {
            return nil
        }
    }

    /// The mnemonic, or `TYPEnnn` when it has none here.
    public var description: String { Self.byType[self] ?? "TYPE\(rawValue)" }
}

/// A record class. Only IN is served.
public struct RecordClass: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: UInt16
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    public static let `in` = RecordClass(rawValue: 1)
    public static let ch = RecordClass(rawValue: 3)
    public static let hs = RecordClass(rawValue: 4)
    public static let none = RecordClass(rawValue: 254)
    public static let any = RecordClass(rawValue: 255)

    private static let names: [(RecordClass, String)] = [
        (.in, "IN"), (.ch, "CH"), (.hs, "HS"), (.none, "NONE"), (.any, "ANY"),
    ]

    /// Reads a mnemonic or `CLASSnnn` (RFC 3597, section 5), in any case.
    public init?(_ text: some StringProtocol) {
        let text = text.uppercased()
        if let (known, _) = Self.names.first(where: { $0.1 == text }) {
            self = known
        } else if let value = genericNumber(text, after: "CLASS") {
            self.init(rawValue: value)
        } else {
            return nil
        }
    }

    public var description: String { Self.names.first { $0.0 == self }?.1 ?? "CLASS\(rawValue)" }
}

/// The number of `TYPE123` or `CLASS123`.
private func genericNumber(_ text: String, after word: String) -> UInt16? {
    guard text.hasPrefix(word) else { return nil }
    let digits = text.dropFirst(word.count)
    guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return UInt16(digits)
}
