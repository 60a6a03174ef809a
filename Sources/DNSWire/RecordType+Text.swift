private let mnemonics: [(RecordType, String)] = [
    (.a, "A"), (.ns, "NS"), (.md, "MD"), (.mf, "MF"), (.cname, "CNAME"), (.soa, "SOA"), (.mb, "MB"), (.mg, "MG"),
    (.mr, "MR"), (.null, "NULL"), (.wks, "WKS"), (.ptr, "PTR"), (.hinfo, "HINFO"), (.minfo, "MINFO"), (.mx, "MX"),
    (.txt, "TXT"), (.rp, "RP"), (.afsdb, "AFSDB"), (.x25, "X25"), (.isdn, "ISDN"), (.rt, "RT"), (.nsap, "NSAP"),
    (.nsapPtr, "NSAP-PTR"), (.sig, "SIG"), (.key, "KEY"), (.px, "PX"), (.gpos, "GPOS"), (.aaaa, "AAAA"),
    (.loc, "LOC"), (.nxt, "NXT"), (.eid, "EID"), (.nimloc, "NIMLOC"), (.srv, "SRV"), (.atma, "ATMA"),
    (.naptr, "NAPTR"), (.kx, "KX"), (.cert, "CERT"), (.dname, "DNAME"), (.opt, "OPT"), (.apl, "APL"), (.ds, "DS"),
    (.sshfp, "SSHFP"), (.ipseckey, "IPSECKEY"), (.rrsig, "RRSIG"), (.nsec, "NSEC"), (.dnskey, "DNSKEY"),
    (.dhcid, "DHCID"), (.nsec3, "NSEC3"), (.nsec3param, "NSEC3PARAM"), (.tlsa, "TLSA"), (.smimea, "SMIMEA"),
    (.hip, "HIP"), (.ninfo, "NINFO"), (.rkey, "RKEY"), (.talink, "TALINK"), (.cds, "CDS"), (.cdnskey, "CDNSKEY"),
    (.openpgpkey, "OPENPGPKEY"), (.csync, "CSYNC"), (.zonemd, "ZONEMD"), (.svcb, "SVCB"), (.https, "HTTPS"),
    (.dsync, "DSYNC"), (.hhit, "HHIT"), (.brid, "BRID"), (.spf, "SPF"), (.nid, "NID"), (.l32, "L32"), (.l64, "L64"),
    (.lp, "LP"), (.eui48, "EUI48"), (.eui64, "EUI64"), (.nxname, "NXNAME"), (.tkey, "TKEY"), (.tsig, "TSIG"),
    (.ixfr, "IXFR"), (.axfr, "AXFR"), (.mailb, "MAILB"), (.maila, "MAILA"), (.any, "ANY"), (.uri, "URI"),
    (.caa, "CAA"), (.avc, "AVC"), (.doa, "DOA"), (.amtrelay, "AMTRELAY"), (.resinfo, "RESINFO"), (.wallet, "WALLET"),
    (.ta, "TA"), (.dlv, "DLV"),
]

/// An upper-case mnemonic, packed into one number. `nil` if it is longer than 16 bytes; no mnemonic is.
private func packed(_ text: some Collection<UInt8>) -> UInt128? {
    guard text.count <= 16 else { return nil }
    return text.reduce(0) { $0 << 8 | UInt128($1 &- 0x61 < 26 ? $1 & 0xDF : $1) }
}

/// Sorted for binary search: every record of a zone file looks up its type.
private let typesByName = mnemonics.map { (name: packed($0.1.utf8) ?? 0, type: $0.0) }.sorted { $0.name < $1.name }
private let namesByType = Dictionary(uniqueKeysWithValues: mnemonics)

extension RecordType: CustomStringConvertible {
    /// Reads a mnemonic, or `TYPEnnn` (RFC 3597, section 5), ignoring case.
    public init?(_ text: some StringProtocol) { self.init(ascii: Array(text.utf8)[...]) }

    /// Reads the same from bytes.
    public init?(ascii text: ArraySlice<UInt8>) {
        if let type = Self.named(text) {
            self = type
        } else if let value = genericNumber(text, after: "TYPE") {
            self.init(rawValue: value)
        } else {
            return nil
        }
    }

    private static func named(_ text: ArraySlice<UInt8>) -> RecordType? {
        guard let name = packed(text) else { return nil }
        var (low, high) = (0, typesByName.count)
        while low < high {
            let middle = (low + high) / 2
            if typesByName[middle].name < name { low = middle + 1 } else { high = middle }
        }
        return low < typesByName.count && typesByName[low].name == name ? typesByName[low].type : nil
    }

    /// The mnemonic, or `TYPEnnn` if there is none.
    public var description: String { namesByType[self] ?? "TYPE\(rawValue)" }
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

    /// Reads a mnemonic, or `CLASSnnn` (RFC 3597, section 5), ignoring case.
    public init?(_ text: some StringProtocol) { self.init(ascii: Array(text.utf8)[...]) }

    /// Reads the same from bytes.
    public init?(ascii text: ArraySlice<UInt8>) {
        // Most words checked here are types, and class mnemonics have at most four letters.
        if text.count <= 4, let known = Self.names.first(where: { packed($0.1.utf8) == packed(text) }) {
            self = known.0
        } else if let value = genericNumber(text, after: "CLASS") {
            self.init(rawValue: value)
        } else {
            return nil
        }
    }

    public var description: String { Self.names.first { $0.0 == self }?.1 ?? "CLASS\(rawValue)" }
}

/// The number of `TYPE123` or `CLASS123`.
private func genericNumber(_ text: ArraySlice<UInt8>, after word: StaticString) -> UInt16? {
    let count = word.utf8CodeUnitCount
    guard text.count > count, text.count <= count + 5 else { return nil }
    // Reads the literal within its length only.
    for index in 0..<count where text[text.startIndex + index] & 0xDF != word.utf8Start[index] { return nil }
    var value: UInt32 = 0
    for byte in text.dropFirst(count) {
        guard (0x30...0x39).contains(byte) else { return nil }
        value = value * 10 + UInt32(byte - 0x30)
    }
    return UInt16(exactly: value)
}
