import DNSWire

/// What the fields of each type are called in messages.
enum FieldNames {
    /// As many as the type's layout has fields.
    static func of(_ type: RecordType) -> [String] {
        type.rawValue < byNumber.count ? byNumber[Int(type.rawValue)] : []
    }

    /// Every record asks.
    private static let byNumber = (0...(byType.keys.max()?.rawValue ?? 0)).map {
        byType[RecordType(rawValue: $0)] ?? []
    }

    private static let digest = ["the key tag", "the algorithm", "the digest type", "the digest"]
    private static let key = ["the flags", "the protocol", "the algorithm", "the public key"]
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
        .mx: ["the preference", "the mail host"], .afsdb: ["the subtype", "the host"],
        .kx: ["the preference", "the exchanger"], .rp: ["the mailbox", "the name of the text"],
        .txt: ["the text"], .spf: ["the text"], .hinfo: ["the processor", "the operating system"],
        .srv: ["the priority", "the weight", "the port", "the target"],
        .naptr: [
            "the order", "the preference", "the flags", "the services", "the regular expression", "the replacement",
        ],
        .caa: ["the flags", "the tag", "the value"], .uri: ["the priority", "the weight", "the target"],
        .loc: ["the location"], .eui48: ["the address"], .eui64: ["the address"],
        .svcb: service, .https: service, .tlsa: association, .smimea: association,
        .sshfp: ["the algorithm", "the fingerprint type", "the fingerprint"], .openpgpkey: ["the key"],
        .cert: ["the kind", "the key tag", "the algorithm", "the certificate"],
        .ds: digest, .cds: digest, .dnskey: key, .cdnskey: key,
        .rrsig: [
            "the type covered", "the algorithm", "the number of labels", "the original TTL", "the expiration",
            "the inception", "the key tag", "the signer", "the signature",
        ],
        .nsec: ["the next name", "the list of types"],
        .nsec3: hashing + ["the next hashed owner", "the list of types"], .nsec3param: hashing,
        .csync: ["the serial", "the flags", "the list of types"],
        .zonemd: ["the serial", "the scheme", "the hash algorithm", "the digest"],
    ]
}
