private let signature: [DataField] = [
    .type, .algorithm, .uint8, .uint32, .timestamp, .timestamp, .uint16, .name, .base64,
]

/// The fields of each type's RDATA, and where they are specified. Types without an RFC have an IANA template; BIND and
/// NSD read the same text for them.
private let layouts: [RecordType: [DataField]] = [
    .a: [.ipv4],  // RFC 1035, section 3.4.1
    .ns: [.name],  // RFC 1035, section 3.3.11
    .md: [.name],  // RFC 1035, section 3.3.4; obsolete
    .mf: [.name],  // RFC 1035, section 3.3.5; obsolete
    .cname: [.name],  // RFC 1035, section 3.3.1
    .soa: [.name, .name, .uint32, .time, .time, .time, .time],  // RFC 1035, section 3.3.13
    .mb: [.name],  // RFC 1035, section 3.3.3
    .mg: [.name],  // RFC 1035, section 3.3.6
    .mr: [.name],  // RFC 1035, section 3.3.8
    .wks: [.ipv4, .ipProtocol, .portBitmap],  // RFC 1035, section 3.4.2
    .ptr: [.name],  // RFC 1035, section 3.3.12
    .hinfo: [.string, .string],  // RFC 1035, section 3.3.2
    .minfo: [.name, .name],  // RFC 1035, section 3.3.7
    .mx: [.uint16, .name],  // RFC 1035, section 3.3.9
    .txt: [.strings],  // RFC 1035, section 3.3.14
    .rp: [.name, .name],  // RFC 1183, section 2.2
    .afsdb: [.uint16, .name],  // RFC 1183, section 1
    .x25: [.digits],  // RFC 1183, section 3.1
    .isdn: [.string, .optionalString],  // RFC 1183, section 3.2
    .rt: [.uint16, .name],  // RFC 1183, section 3.3
    .nsap: [.nsap],  // RFC 1706, sections 5 and 7
    .nsapPtr: [.name],  // RFC 1348; historic since RFC 1706, section 6
    .sig: signature,  // RFC 2535, section 4.1
    .key: [.uint16, .uint8, .algorithm, .optionalBase64(hyphen: false)],  // RFC 2535, section 3.1
    .px: [.uint16, .name, .name],  // RFC 2163, section 4
    .gpos: [.decimal(limit: 90), .decimal(limit: 180), .decimal(limit: nil)],  // RFC 1712, section 3
    .aaaa: [.ipv6],  // RFC 3596, section 2.2
    .loc: [.location],  // RFC 1876, section 2
    .nxt: [.name, .oldTypeBitmap],  // RFC 2535, section 5.2
    .eid: [.hex],  // draft-ietf-nimrod-dns-02, section 3
    .nimloc: [.hex],  // draft-ietf-nimrod-dns-02, section 4
    .srv: [.uint16, .uint16, .uint16, .name],  // RFC 2782
    .atma: [.atmAddress],  // ATM Forum, AF-DANS-0152.000
    .naptr: [.uint16, .uint16, .string, .string, .string, .name],  // RFC 3403, section 4.1
    .kx: [.uint16, .name],  // RFC 2230, section 3
    .cert: [.certificateKind, .uint16, .algorithm, .base64],  // RFC 4398, section 2
    .dname: [.name],  // RFC 6672, section 2.1
    .apl: [.prefixes],  // RFC 3123, sections 4 and 5
    .ds: [.uint16, .algorithm, .uint8, .hex],  // RFC 4034, section 5.1
    .sshfp: [.uint8, .uint8, .hex],  // RFC 4255, section 3
    .ipseckey: [.uint8, .gatewayAndKey],  // RFC 4025, sections 2.1 and 3.1
    .rrsig: signature,  // RFC 4034, section 3.1
    .nsec: [.name, .typeBitmap],  // RFC 4034, section 4.1
    .dnskey: [.uint16, .uint8, .algorithm, .base64],  // RFC 4034, section 2.1
    .dhcid: [.base64],  // RFC 4701, section 3.1
    .nsec3: [.uint8, .uint8, .uint16, .salt, .hash, .typeBitmap],  // RFC 5155, section 3.2
    .nsec3param: [.uint8, .uint8, .uint16, .salt],  // RFC 5155, section 4.2
    .tlsa: [.uint8, .uint8, .uint8, .hex],  // RFC 6698, section 2.1
    .smimea: [.uint8, .uint8, .uint8, .hex],  // RFC 8162, section 2
    .hip: [.hostIdentity],  // RFC 8005, sections 5 and 6
    .ninfo: [.strings],  // IANA template
    .rkey: [.uint16, .uint8, .algorithm, .base64],  // IANA template
    .talink: [.name, .name],  // IANA template
    .cds: [.uint16, .algorithm, .uint8, .hex],  // RFC 7344, section 3.1
    .cdnskey: [.uint16, .uint8, .algorithm, .base64],  // RFC 7344, section 3.2
    .openpgpkey: [.base64],  // RFC 7929, section 2
    .csync: [.uint32, .uint16, .typeBitmap],  // RFC 7477, section 2.1
    .zonemd: [.uint32, .uint8, .uint8, .hex],  // RFC 8976, section 2.2
    .svcb: [.uint16, .name, .serviceParameters],  // RFC 9460, section 2.2
    .https: [.uint16, .name, .serviceParameters],  // RFC 9460, section 2.2
    .dsync: [.type, .scheme, .uint16, .name],  // RFC 9859, section 2
    .hhit: [.base64],  // RFC 9886, section 5.1
    .brid: [.base64],  // RFC 9886, section 5.2
    .spf: [.strings],  // RFC 7208, section 3.1
    .nid: [.uint16, .locator],  // RFC 6742, section 2.1
    .l32: [.uint16, .ipv4],  // RFC 6742, section 2.2
    .l64: [.uint16, .locator],  // RFC 6742, section 2.3
    .lp: [.uint16, .name],  // RFC 6742, section 2.4
    .eui48: [.eui48],  // RFC 7043, section 3
    .eui64: [.eui64],  // RFC 7043, section 4
    .uri: [.uint16, .uint16, .text(mayBeEmpty: false)],  // RFC 7553, section 4
    .caa: [.uint8, .tag, .text(mayBeEmpty: true)],  // RFC 8659, section 4.1
    .avc: [.strings],  // IANA template
    .doa: [.uint32, .uint32, .uint8, .string, .optionalBase64(hyphen: true)],  // draft-durand-doa-over-dns-02
    .amtrelay: [.uint8, .relay],  // RFC 8777, sections 4.2 and 4.3
    .resinfo: [.strings],  // RFC 9606, section 4
    .wallet: [.strings],  // IANA template
    .ta: [.uint16, .algorithm, .uint8, .hex],  // IANA template
    .dlv: [.uint16, .algorithm, .uint8, .hex],  // RFC 4431, section 2
]

/// The same as an array for the assigned numbers, because every record of a zone is read and checked by its layout.
private let layoutsByNumber = (0..<512).map { layouts[RecordType(rawValue: $0)] }

extension RecordType {
    /// The fields of this type's RDATA in order; `nil` for a type whose RDATA is opaque (RFC 3597).
    public var layout: [DataField]? {
        rawValue < layoutsByNumber.count ? layoutsByNumber[Int(rawValue)] : layouts[self]
    }
}
