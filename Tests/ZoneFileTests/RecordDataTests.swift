import DNSWire
import IPNetworks
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
        "invalid data of these types is an error at its position",
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

@Suite("RDATA of all types")
struct RecordDataTests {
    @Test(
        "text becomes RDATA, and RDATA becomes the canonical text, which is read back to the same bytes",
        arguments: [
            ("A 192.0.2.1", "c0000201", "192.0.2.1"),
            ("AAAA 2001:DB8:0:0::1", "20010db8000000000000000000000001", "2001:db8::1"),
            ("NS ns", "026e73 076578616d706c65 03636f6d 00", "ns.example.com."),
            ("CNAME a\\.b.", "03612e62 00", "a\\.b."), ("DNAME .", "00", "."), ("PTR \\065.", "0141 00", "A."),
            (
                "SOA . h. 4294967295 1h 1m 1w 0", "00 0168 00 ffffffff 00000e10 0000003c 00093a80 00000000",
                ". h. 4294967295 3600 60 604800 0"
            ),
            ("MX 10 .", "000a 00", "10 ."), ("AFSDB 1 .", "0001 00", "1 ."), ("KX 1 .", "0001 00", "1 ."),
            ("RP a. b.", "016100 016200", "a. b."),
            (
                "TXT a \"b \\\"c\\\"\" \\\\ \"\\000\"", "0161 05622022 6322 015c 0100",
                "\"a\" \"b \\\"c\\\"\" \"\\\\\" \"\\000\""
            ),
            ("SPF \"v=spf1 -all\"", "0b763d73706631202d616c6c", "\"v=spf1 -all\""),
            (
                "HINFO PC-Intel-700mhz \"Redhat Linux\"", "0f50432d496e74656c2d3730306d687a 0c526564686174204c696e7578",
                "\"PC-Intel-700mhz\" \"Redhat Linux\""
            ),
            ("SRV 0 1 65535 .", "0000 0001 ffff 00", "0 1 65535 ."),
            // RFC 3403, section 6.2.
            (
                "NAPTR 100 50 \"s\" \"z3950+I2L+I2C\" \"\" _z3950._tcp.",
                "0064 0032 0173 0d7a333935302b49324c2b493243 00 065f7a33393530 045f746370 00",
                "100 50 \"s\" \"z3950+I2L+I2C\" \"\" _z3950._tcp."
            ),
            ("CAA 0 issue \"\"", "00 05 6973737565", "0 issue \"\""),
            ("URI 10 1 \"ftp://a/\"", "000a 0001 6674703a2f2f612f", "10 1 \"ftp://a/\""),
            ("TLSA 3 1 1 ab CD", "03 01 01 abcd", "3 1 1 ABCD"), ("SMIMEA 0 0 0 00", "00 00 00 00", "0 0 0 00"),
            ("SSHFP 4 2 (\n 12 34 )", "04 02 1234", "4 2 1234"), ("OPENPGPKEY AQID", "010203", "AQID"),
            ("CERT PKIX 1 8 AQI=", "0001 0001 08 0102", "1 1 8 AQI="),
            ("EUI48 00-00-5E-00-53-2a", "00005e00532a", "00-00-5e-00-53-2a"),
            ("EUI64 00-00-5e-ef-10-00-00-2a", "00005eef1000002a", "00-00-5e-ef-10-00-00-2a"),
            // RFC 1876, section 4.
            (
                "LOC 42 21 54 N 71 06 18 W -24m 30m", "00 33 16 13 89172dd0 70be15f0 00988d20",
                "42 21 54.000 N 71 6 18.000 W -24.00m 30.00m 10000.00m 10.00m"
            ),
            (
                "LOC 90 S 180 E 42849672.95m 0 0.01m 90000000m", "00 00 10 99 6cb02700 a69fb200 ffffffff",
                "90 0 0.000 S 180 0 0.000 E 42849672.95m 0.00m 0.01m 90000000.00m"
            ),
            ("DS 1 RSASHA256 2 00ff", "0001 08 02 00ff", "1 8 2 00FF"),
            ("DNSKEY 257 3 13 AQID BA==", "0101 03 0d 01020304", "257 3 13 AQIDBA=="),
            (
                "RRSIG NSEC3 13 2 60 20300101000000 951782399 1 a. AAA=",
                "0032 0d 02 0000003c 70dbd880 38bb0bff 0001 016100 0000",
                "NSEC3 13 2 60 20300101000000 20000228235959 1 a. AAA="
            ),
            (
                "NSEC a. URI TYPE65534 A", "016100 0001 40 0101 80 ff20" + String(repeating: "00", count: 31) + "02",
                "a. A URI TYPE65534"
            ),
            ("NSEC3 1 1 0 - 00000000 A", "01 01 0000 00 05 0000000000 000140", "1 1 0 - 00000000 A"),
            ("NSEC3PARAM 1 0 1 aB", "01 00 0001 01ab", "1 0 1 AB"), ("CSYNC 0 0 A", "00000000 0000 000140", "0 0 A"),
            ("ZONEMD 1 1 1 00", "00000001 01 01 00", "1 1 1 00"),
            ("TYPE65280 \\# 2 abcd", "abcd", "\\# 2 ABCD"), ("TYPE65280 \\# 0", "", "\\# 0"),
            ("TYPE28 \\# 16 00000000000000000000000000000001", "00000000000000000000000000000001", "::1"),
        ])
    func roundTrip(text: String, wire: String, printed: String) {
        let contents = read(text)
        #expect(contents.errors.isEmpty)
        guard let record = contents.records.first?.record else { return }
        #expect(record.data == hex(wire))
        #expect(record.type.presentation(of: record.data) == printed)
        #expect(record.presentation == "x.example.com. 60 IN \(record.type) \(printed)")
        #expect(read("\(record.type) \(printed)").records.first?.record == record)
    }

    @Test(
        "the test vectors of RFC 9460, appendix D, and further SVCB data are read",
        arguments: [
            ("HTTPS 0 foo.example.org.", "0000 03666f6f076578616d706c65036f726700", "0 foo.example.org."),
            ("SVCB 1 .", "0001 00", "1 ."),
            ("SVCB 16 . port=53", "0010 00 0003 0002 0035", "16 . port=53"),
            ("SVCB 1 . key667=hello", "0001 00 029b 0005 68656c6c6f", "1 . key667=hello"),
            ("SVCB 1 . key667=\"hello\\210qoo\"", "0001 00 029b 0009 68656c6c6fd2716f6f", "1 . key667=hello\\210qoo"),
            (
                "SVCB 1 . ipv6hint=\"2001:db8::1,2001:db8::53:1\"",
                "0001 00 0006 0020 20010db8000000000000000000000001 20010db8000000000000000000530001",
                "1 . ipv6hint=2001:db8::1,2001:db8::53:1"
            ),
            (
                "SVCB 16 . alpn=h2,h3-19 mandatory=ipv4hint,alpn ipv4hint=192.0.2.1",
                "0010 00 0000 0004 0001 0004 0001 0009 026832 0568332d3139 0004 0004 c0000201",
                "16 . mandatory=alpn,ipv4hint alpn=h2,h3-19 ipv4hint=192.0.2.1"
            ),
            (
                #"SVCB 16 . alpn="f\\\\oo\\,bar,h2""#, "0010 00 0001 000c 08665c6f6f2c626172 026832",
                #"16 . alpn=f\\\\oo\\,bar,h2"#
            ),
            (
                #"SVCB 16 . alpn=f\\\092oo\092,bar,h2"#, "0010 00 0001 000c 08665c6f6f2c626172 026832",
                #"16 . alpn=f\\\\oo\\,bar,h2"#
            ),
            ("HTTPS 1 . alpn=h3 no-default-alpn", "0001 00 0001 0003 026833 0002 0000", "1 . alpn=h3 no-default-alpn"),
            ("HTTPS 1 . ech=AQI=", "0001 00 0005 0002 0102", "1 . ech=AQI="),
            (
                "SVCB 1 . alpn=h2 dohpath=/q{?dns} ohttp",
                "0001 00 0001 0003 026832 0007 0008 2f717b3f646e737d 0008 0000", "1 . alpn=h2 dohpath=/q{?dns} ohttp"
            ),
            ("SVCB 1 . key3=\\000\\053", "0001 00 0003 0002 0035", "1 . port=53"),
            ("SVCB 1 . key65=\"a b;(\\\"\"", "0001 00 0041 0006 6120623b2822", "1 . key65=a\\032b\\;\\(\\\""),
        ])
    func services(text: String, wire: String, printed: String) { roundTrip(text: text, wire: wire, printed: printed) }

    @Test(
        "invalid data is an error at its position, with what was expected",
        arguments: [
            ("LOC 91 N 0 E 0", 13, "larger than 90"), ("LOC 90 0 1 N 0 E 0", 13, "above 90 degrees"),
            ("LOC 1 60 N 0 E 0", 15, "larger than 59"), ("LOC 1 1 60 N 0 E 0", 17, "59.999"),
            ("LOC 1 E 0 E 0", 15, "write N or S"), ("LOC 1 N 0 E 1.234m", 21, "two decimals"),
            ("LOC 1 N 0 E -100000.01m", 21, "outside -100000"), ("LOC 1 N 0 E", 19, "altitude is missing"),
            ("EUI48 00-00-5e-00-53", 15, "6 bytes"), ("EUI48 00-00-5e-00-53-2g", 15, "6 bytes"),
            ("EUI64 00-00-5e-00-53-2a", 15, "8 bytes"), ("URI 1 1 \"\"", 17, "empty"), ("TLSA 3 1 1", 18, "missing"),
            ("SSHFP 1 256 00", 17, "larger than 255"), ("NAPTR 1 1 s x !a! ", 23, "replacement is missing"),
            ("HINFO a", 15, "operating system is missing"), ("CERT NOPE 1 1 AA==", 14, "kind is neither"),
            ("OPENPGPKEY", 9, "key is missing"), ("SVCB 0 . port=1", 18, "means AliasMode"),
            ("SVCB 1 . port=1 port=2", 25, "twice"), ("SVCB 1 . port=65536", 18, "up to 65535"),
            ("SVCB 1 . mandatory=port", 18, "needs port"), ("SVCB 1 . mandatory=alpn,alpn alpn=h2", 18, "each once"),
            ("SVCB 1 . mandatory=mandatory", 18, "other keys"), ("SVCB 1 . no-default-alpn", 18, "needs alpn"),
            ("SVCB 1 . no-default-alpn=x alpn=h2", 18, "not empty"), ("SVCB 1 . alpn", 18, "list of protocols"),
            ("SVCB 1 . alpn=h2,,h3", 18, "list of protocols"), ("SVCB 1 . ipv4hint=::1", 18, "IPv4"),
            ("SVCB 1 . ipv6hint=1.2.3.4", 18, "IPv6"), ("SVCB 1 . ech=x", 18, "base64"),
            ("SVCB 1 . dohpath=q", 18, "variable dns"), ("SVCB 1 . key065=a", 18, "not a service parameter"),
            ("SVCB 1 . key65535=a", 18, "not a service parameter"), ("SVCB 1 . bogus=a", 18, "not a service parameter"),
            ("SVCB 1 . key3=a", 18, "up to 65535"), ("HTTPS 1", 15, "target is missing"),
            ("SVCB \\# 8 000100 0003 0001 35", 14, "not valid RDATA of SVCB"),
            ("LOC \\# 16 01000000800000008000000000000000", 13, "not valid RDATA of LOC"),
            ("CAA \\# 3 000000", 13, "not valid RDATA of CAA"),
        ])
    func errors(text: String, column: Int, message: String) {
        let contents = read(text)
        #expect(contents.errors.count == 1)
        #expect(contents.errors.first?.message.contains(message) == true, "\(contents.errors)")
        #expect(contents.errors.first?.column == column, "\(contents.errors)")
    }

    @Test(
        "an IPv6 address is read as in other types",
        arguments: [
            "::", "::1", "1::", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7::", "::2:3:4:5:6:7:8", "1::8", "fe80::a:B:c",
            "::ffff:192.0.2.1",
            "64:ff9b::192.0.2.33", "1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7", "1:2:3:4::5:6:7:8", ":",
            ":::", "1:",
            ":1", "1::2::3", "12345::", "1:::2", "g::", "1:2:3:4:5:6:7:8:", ":1:2:3:4:5:6:7:8", "::1:", "1.2.3.4",
            "1:2", "::1.2.3",
            "0:0:0:0:0:0:0:0", "1:2:3:4:5:6:7:1.2.3.4", "::%1",
        ])
    func addresses(text: String) {
        let expected = IPAddress(text).flatMap { $0.family == .v6 ? $0.bytes : nil }
        #expect(read("AAAA \(text)").records.first?.record.data == expected)
    }
}
