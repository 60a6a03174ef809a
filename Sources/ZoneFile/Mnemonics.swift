/// Names of numbers in zone files.
enum Mnemonics {
    /// DNSSEC algorithms (RFC 4034, appendix A.1, and the IANA registry).
    static let algorithms: [(UInt16, String)] = [
        (1, "RSAMD5"), (2, "DH"), (3, "DSA"), (5, "RSASHA1"), (6, "DSA-NSEC3-SHA1"), (7, "RSASHA1-NSEC3-SHA1"),
        (8, "RSASHA256"), (10, "RSASHA512"), (12, "ECC-GOST"), (13, "ECDSAP256SHA256"), (14, "ECDSAP384SHA384"),
        (15, "ED25519"), (16, "ED448"), (252, "INDIRECT"), (253, "PRIVATEDNS"), (254, "PRIVATEOID"),
    ]

    /// Kinds of certificates (RFC 4398, section 2.1).
    static let certificates: [(UInt16, String)] = [
        (1, "PKIX"), (2, "SPKI"), (3, "PGP"), (4, "IPKIX"), (5, "ISPKI"), (6, "IPGP"), (7, "ACPKIX"), (8, "IACPKIX"),
        (253, "URI"), (254, "OID"),
    ]
}
