private let mnemonics: [(RecordType, String)] = [
    (.a, "A"), (.ns, "NS"), (.cname, "CNAME"), (.soa, "SOA"), (.ptr, "PTR"), (.hinfo, "HINFO"), (.mx, "MX"),
    (.txt, "TXT"), (.rp, "RP"), (.afsdb, "AFSDB"), (.aaaa, "AAAA"), (.loc, "LOC"), (.srv, "SRV"), (.naptr, "NAPTR"),
    (.kx, "KX"), (.cert, "CERT"), (.dname, "DNAME"), (.opt, "OPT"), (.ds, "DS"), (.sshfp, "SSHFP"), (.rrsig, "RRSIG"),
    (.nsec, "NSEC"), (.dnskey, "DNSKEY"), (.nsec3, "NSEC3"), (.nsec3param, "NSEC3PARAM"), (.tlsa, "TLSA"),
    (.smimea, "SMIMEA"), (.cds, "CDS"), (.cdnskey, "CDNSKEY"), (.openpgpkey, "OPENPGPKEY"), (.csync, "CSYNC"),
    (.zonemd, "ZONEMD"), (.svcb, "SVCB"), (.https, "HTTPS"), (.spf, "SPF"), (.eui48, "EUI48"), (.eui64, "EUI64"),
    (.tkey, "TKEY"), (.tsig, "TSIG"), (.ixfr, "IXFR"), (.axfr, "AXFR"), (.mailb, "MAILB"), (.maila, "MAILA"),
    (.any, "ANY"), (.uri, "URI"), (.caa, "CAA"),
]

/// A mnemonic in capitals, one byte beside the other: `nil` above 16 bytes, which none has.
private func packed(_ text: some Collection<UInt8>) -> UInt128? {
    guard text.count <= 16 else { return nil }
    return text.reduce(0) { $0 << 8 | UInt128($1 &- 0x61 < 26 ? $1 & 0xDF : $1) }
}

/// Sorted, for a search by halves: every record of a zone file looks its type up.
private let typesByName = mnemonics.map { (name: packed($0.1.utf8) ?? 0, type: $0.0) }.sorted { $0.name < $1.name }
private let namesByType = Dictionary(uniqueKeysWithValues: mnemonics)

extension RecordType: CustomStringConvertible {
    /// Reads a mnemonic or the form `TYPEnnn` of RFC 3597, section 5, in any case.
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

    /// The mnemonic, or `TYPEnnn` when it has none here.
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

    /// Reads a mnemonic or `CLASSnnn` (RFC 3597, section 5), in any case.
    public init?(_ text: some StringProtocol) { self.init(ascii: Array(text.utf8)[...]) }

    /// Reads the same from bytes.
    public init?(ascii text: ArraySlice<UInt8>) {
        // Most words that are asked about are types, and no mnemonic of a class is longer than these.
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
    // The pointer is read below the count of the literal's bytes only.
    for index in 0..<count where text[text.startIndex + index] & 0xDF != word.utf8Start[index] { return nil }
    var value: UInt32 = 0
    for byte in text.dropFirst(count) {
        guard (0x30...0x39).contains(byte) else { return nil }
        value = value * 10 + UInt32(byte - 0x30)
    }
    return UInt16(exactly: value)
}
