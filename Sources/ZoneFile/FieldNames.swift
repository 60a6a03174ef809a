import DNSWire

/// The names of each type's fields in messages.
enum FieldNames {
    /// One name for each field of the type's layout, except for fields that name their own parts.
    static func of(_ type: RecordType) -> [String] {
        type.rawValue < byNumber.count ? byNumber[Int(type.rawValue)] : byType[type] ?? []
    }

    /// An array for the assigned numbers, because every record looks its type up.
    private static let byNumber = (0..<512).map { byType[RecordType(rawValue: $0)] ?? [] }

    private static let digest = ["the key tag", "the algorithm", "the digest type", "the digest"]
    private static let key = ["the flags", "the protocol", "the algorithm", "the public key"]
    private static let signature = [
        "the type covered", "the algorithm", "the number of labels", "the original TTL", "the expiration",
        "the inception", "the key tag", "the signer", "the signature",
    ]
    private static let association = ["the usage", "the selector", "the matching type", "the association data"]
    private static let service = ["the priority", "the target", "the parameters"]
    private static let hashing = ["the hash algorithm", "the flags", "the iterations", "the salt"]

    private static let byType: [RecordType: [String]] = [
        .a: ["the address"], .aaaa: ["the address"],
        .ns: ["the name server"], .cname: ["the alias's target"], .dname: ["the target"], .ptr: ["the host"],
        .soa: [
            "the primary server", "the mailbox of the zone's keeper", "the serial", "the refresh time",
            "the retry time", "the expiry time", "the negative TTL",
        ],
        .md: ["the mail host"], .mf: ["the mail host"], .mb: ["the mail host"], .mg: ["the mailbox"],
        .mr: ["the new mailbox"], .minfo: ["the mailbox for requests", "the mailbox for errors"],
        .mx: ["the preference", "the mail host"], .afsdb: ["the subtype", "the host"],
        .kx: ["the preference", "the exchanger"], .rp: ["the mailbox", "the name of the text"],
        .rt: ["the preference", "the intermediate host"],
        .px: ["the preference", "the RFC 822 domain", "the X.400 domain"],
        .txt: ["the text"], .spf: ["the text"], .ninfo: ["the text"], .avc: ["the text"], .resinfo: ["the text"],
        .wallet: ["the text"], .hinfo: ["the processor", "the operating system"],
        .x25: ["the PSDN address"], .isdn: ["the ISDN address", "the subaddress"], .nsap: ["the address"],
        .nsapPtr: ["the host"], .atma: ["the address"], .eid: ["the identifier"], .nimloc: ["the locator"],
        .gpos: ["the latitude", "the longitude", "the altitude"],
        .wks: ["the address", "the protocol", "the list of services"],
        .srv: ["the priority", "the weight", "the port", "the target"],
        .naptr: [
            "the order", "the preference", "the flags", "the services", "the regular expression", "the replacement",
        ],
        .caa: ["the flags", "the tag", "the value"], .uri: ["the priority", "the weight", "the target"],
        .loc: ["the location"], .eui48: ["the address"], .eui64: ["the address"],
        .svcb: service, .https: service, .tlsa: association, .smimea: association,
        .nid: ["the preference", "the node identifier"], .l32: ["the preference", "the locator"],
        .l64: ["the preference", "the locator"], .lp: ["the preference", "the name of the locators"],
        .apl: ["the list of prefixes"], .ipseckey: ["the precedence"], .amtrelay: ["the precedence"],
        .dhcid: ["the identifier"], .talink: ["the previous name", "the next name"],
        .dsync: ["the type", "the scheme", "the port", "the target"], .hhit: ["the data"], .brid: ["the data"],
        .doa: ["the enterprise", "the type", "the location", "the media type", "the data"],
        .sshfp: ["the algorithm", "the fingerprint type", "the fingerprint"], .openpgpkey: ["the key"],
        .cert: ["the kind", "the key tag", "the algorithm", "the certificate"],
        .ds: digest, .cds: digest, .dlv: digest, .ta: digest,
        .dnskey: key, .cdnskey: key, .key: key, .rkey: key,
        .rrsig: signature, .sig: signature,
        .nsec: ["the next name", "the list of types"], .nxt: ["the next name", "the list of types"],
        .nsec3: hashing + ["the next hashed owner", "the list of types"], .nsec3param: hashing,
        .csync: ["the serial", "the flags", "the list of types"],
        .zonemd: ["the serial", "the scheme", "the hash algorithm", "the digest"],
    ]
}
