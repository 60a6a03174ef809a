import DNSWire
import Testing
import ZoneFile

/// Hexadecimal digits and blanks as bytes.
func hex(_ text: String) -> [UInt8] {
    let digits = text.filter(\.isHexDigit).compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

/// What a zone with the one record says.
func read(_ record: String) -> ZoneFileContents {
    ZoneFileParser.parse(
        text: "x 60 IN \(record)\n", file: "test.zone",
        origin: DomainName(wire: [7] + Array("example".utf8) + [3] + Array("com".utf8) + [0]) ?? .root)
}

@Suite("RDATA of the DNSSEC types")
struct SecurityRecordDataTests {
    @Test(
        "the text of RFCs 4034, 5155, 7477 and 8976 becomes RDATA",
        arguments: [
            // RFC 4034, section 5.4.
            (
                "DS 60485 5 1 ( 2BB183AF5F22588179A53B0A 98631FAD1A292118 )",
                "ec45 05 01 2bb183af5f22588179a53b0a98631fad1a292118"
            ),
            // RFC 4034, section 4.3: the windows 0 and 4.
            (
                "NSEC host.example.com. ( A MX RRSIG NSEC TYPE1234 )",
                "04686f7374 076578616d706c65 03636f6d 00 0006400100000003 041b"
                    + String(repeating: "00", count: 26) + "20"
            ),
            (
                "RRSIG A 5 3 86400 20030322173103 ( 20030220173103 2642 example.com. oJB1W6WNGv+l dvQ3WDG0MQ== )",
                "0001 05 03 00015180 3e7c9dd7 3e5510d7 0a52 076578616d706c6503636f6d00 a090755ba58d1affa576f437583 1b431"
            ),
            (
                "RRSIG TYPE65280 ECDSAP256SHA256 0 1 4294967295 0 1 . AA==",
                "ff00 0d 00 00000001 ffffffff 00000000 0001 00 00"
            ),
            ("DNSKEY 256 3 5 ( AQPS mKyn )", "0100 03 05 0103d298aca7"),
            ("CDNSKEY 0 3 0 AA==", "0000 03 00 00"), ("CDS 0 0 0 00", "0000 00 00 00"),
            // RFC 5155, appendix A.
            (
                "NSEC3 1 1 12 aabbccdd ( 2t7b4g4vsa5smi47k61mv5bv1a22bojr MX DNSKEY NS SOA NSEC3PARAM RRSIG )",
                "01 01 000c 04aabbccdd 14 174eb2409fe28bcb4887a1836f957f0a8425e27b 0007 22010000000290"
            ),
            ("NSEC3 1 0 0 - 00", "01 00 0000 00 01 00"), ("NSEC3PARAM 1 0 65535 -", "01 00 ffff 00"),
            ("CSYNC 66 3 A NS AAAA", "00000042 0003 0004 60000008"), ("NSEC . A A", "00 0001 40"),
            ("ZONEMD 2018031500 1 1 ( FEBE3D4C E2EC2FFA )", "7848 b78c 01 01 febe3d4ce2ec2ffa"),
        ])
    func data(text: String, wire: String) {
        let contents = read(text)
        #expect(contents.errors.isEmpty)
        #expect(contents.records.first?.record.data == hex(wire))
        #expect(contents.records.first.map { $0.record.type.isWellFormed($0.record.data) } == true)
    }

    @Test(
        "what is wrong in them is named at its place",
        arguments: [
            ("DS 65536 5 1 00", 12, "larger than 65535"), ("DS 1 5 1", 16, "digest is missing"),
            ("DS 1 5 1 0", 18, "odd number"), ("DS 1 NOSUCH 1 00", 14, "algorithm is neither"),
            ("DNSKEY 256 3 5 A===", 24, "not base64"), ("DNSKEY 256 3 5 AQP", 24, "not whole base64"),
            ("DNSKEY 256 3 5 AQ== AQ==", 29, "not base64"), ("DNSKEY 256 3 5", 22, "public key is missing"),
            ("NSEC a A BOGUS", 18, "\"BOGUS\" in the list of types"), ("NSEC3 1 0 0 abc 00", 21, "salt is not"),
            ("NSEC3 1 0 0 - 0w", 23, "base32hex"), ("NSEC3 1 0 0 - 0", 23, "base32hex"),
            ("RRSIG A 5 3 1 20030231000000 1 1 . AA==", 23, "not a date"),
            ("RRSIG A 5 3 1 21070101000000 1 1 . AA==", 23, "not a date"),
            ("RRSIG A 5 3 1 4294967296 1 1 . AA==", 23, "larger"),
            ("NSEC \\# 4 00000240", 14, "not valid RDATA"), ("NSEC \\# 4 00000100", 14, "not valid RDATA"),
            ("DS \\# 4 00000000", 12, "not valid RDATA"), ("NSEC3 \\# 6 010000000000", 15, "not valid RDATA"),
        ])
    func errors(text: String, column: Int, message: String) {
        let contents = read(text)
        #expect(contents.errors.count == 1)
        #expect(contents.errors.first?.message.contains(message) == true, "\(contents.errors)")
        #expect(contents.errors.first?.column == column, "\(contents.errors)")
    }
}
