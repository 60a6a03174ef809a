/// Mnemonics for numbers in zone files.
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

    /// Schemes of DSYNC (RFC 9859, section 2).
    static let schemes: [(UInt16, String)] = [(1, "NOTIFY")]

    /// IP protocols that WKS can name (RFC 1035, section 3.4.2).
    static let protocols: [(UInt16, String)] = [(1, "ICMP"), (6, "TCP"), (17, "UDP")]

    /// Services that WKS can name (RFC 1700), with the names that BIND and NSD accept.
    static let services: [(UInt16, String)] = [
        (1, "TCPMUX"), (7, "ECHO"), (9, "DISCARD"), (11, "SYSTAT"), (13, "DAYTIME"), (15, "NETSTAT"), (17, "QOTD"),
        (19, "CHARGEN"), (20, "FTP-DATA"), (21, "FTP"), (22, "SSH"), (23, "TELNET"), (24, "LMTP"), (25, "SMTP"),
        (37, "TIME"), (43, "WHOIS"), (43, "NICNAME"), (53, "DOMAIN"), (69, "TFTP"), (70, "GOPHER"), (79, "FINGER"),
        (80, "HTTP"), (88, "KERBEROS"), (110, "POP3"), (111, "SUNRPC"), (113, "AUTH"), (119, "NNTP"), (123, "NTP"),
        (143, "IMAP"), (143, "IMAP2"), (161, "SNMP"), (162, "SNMPTRAP"), (389, "LDAP"), (443, "HTTPS"),
        (465, "SUBMISSIONS"), (514, "SYSLOG"), (563, "NNTPS"), (587, "SUBMISSION"), (636, "LDAPS"), (853, "DOMAIN-S"),
        (989, "FTPS-DATA"), (990, "FTPS"), (993, "IMAPS"), (995, "POP3S"),
    ]
}
