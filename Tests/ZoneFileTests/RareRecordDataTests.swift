import DNSWire
import Testing
import ZoneFile

@Suite("RDATA of rare types")
struct RareRecordDataTests {
    // Each was served by NSD, Knot or BIND with the same bytes, names apart: `types.zone` of the conformance checks.
    @Test(
        "text becomes RDATA, and RDATA becomes the canonical text, which is read back to the same bytes",
        arguments: [
            // RFC 1035, section 3.3; BIND refuses the first two, which are obsolete.
            ("MD Mail", "044d61696c076578616d706c6503636f6d00", "Mail.example.com."),
            ("MF Mail", "044d61696c076578616d706c6503636f6d00", "Mail.example.com."),
            ("MB Mail", "044d61696c076578616d706c6503636f6d00", "Mail.example.com."),
            ("MG Mail", "044d61696c076578616d706c6503636f6d00", "Mail.example.com."),
            ("MR Other.Example.", "054f74686572074578616d706c6500", "Other.Example."),
            // RFC 1035, section 3.3.10: it has no text form of its own.
            ("NULL \\# 3 010203", "010203", "\\# 3 010203"),
            // RFC 1035, section 3.4.2: ports 21, 23, 25 and 110; 37 and 53; none.
            (
                "WKS 10.0.0.1 TCP ( telnet smtp ftp 110 )",
                "0a000001060000054000000000000000000002",
                "10.0.0.1 6 21 23 25 110"
            ),
            ("WKS 10.0.0.1 17 53 37", "0a0000011100000000040004", "10.0.0.1 17 37 53"),
            ("WKS 10.0.0.1 6", "0a00000106", "10.0.0.1 6"),
            (
                "MINFO Requests Errors",
                "085265717565737473076578616d706c6503636f6d00064572726f7273076578616d706c6503636f6d00",
                "Requests.example.com. Errors.example.com."
            ),
            // RFC 1183, sections 3.1 to 3.3.
            ("X25 311061700956", "0c333131303631373030393536", "311061700956"),
            ("ISDN 150862028003217 004", "0f31353038363230323830303332313703303034", "\"150862028003217\" \"004\""),
            ("ISDN \"150862028003217\"", "0f313530383632303238303033323137", "\"150862028003217\""),
            ("RT 10 NET.Prime.COM.", "000a034e4554055072696d6503434f4d00", "10 NET.Prime.COM."),
            // RFC 1706, section 7, and RFC 1348.
            (
                "NSAP 0x47.0005.80.005a00.0000.0001.e133.ffffff000161.00",
                "47000580005a0000000001e133ffffff00016100",
                "0x47000580005a0000000001e133ffffff00016100"
            ),
            ("NSAP-PTR Host", "04486f7374076578616d706c6503636f6d00", "Host.example.com."),
            // RFC 2535, sections 4.1, 3.1 (with a key and without) and 5.2.
            (
                "SIG A 1 3 3600 20300102030405 20000102030405 2143 foo.nil. MxFcby9k/yvedMfQgKzhH5er0Mu/vILz45I=",
                "0001010300000e1070dd5525386ec025085f03666f6f036e696c0033115c6f2f64ff2bde74c7d080ace11f97abd0cbbf"
                    + "bc82f3e392",
                "A 1 3 3600 20300102030405 20000102030405 2143 foo.nil. MxFcby9k/yvedMfQgKzhH5er0Mu/vILz45I="
            ),
            ("KEY 256 3 5 AQPSKmynfz8=", "010003050103d22a6ca77f3f", "256 3 5 AQPSKmynfz8="),
            ("KEY 49152 3 0", "c0000300", "49152 3 0"),
            // RFC 2163, section 4.
            (
                "PX 10 Net2.it. PRMD-net2.ADMD-p400.C-it.",
                "000a044e657432026974000950524d442d6e6574320941444d442d7034303004432d697400",
                "10 Net2.it. PRMD-net2.ADMD-p400.C-it."
            ),
            // RFC 1712, section 3.
            ("GPOS -32.6882 116.8652 10.0", "082d33322e36383832083131362e383635320431302e30", "-32.6882 116.8652 10.0"),
            (
                "NXT Medium A MX SIG NXT",
                "064d656469756d076578616d706c6503636f6d0040010082",
                "Medium.example.com. A MX SIG NXT"
            ),
            // draft-ietf-nimrod-dns-02 and AF-DANS-0152.000.
            ("EID 12 89 AB", "1289ab", "1289AB"),
            ("NIMLOC 12 89 AB", "1289ab", "1289AB"),
            ("ATMA +358.400.1234567", "0133353834303031323334353637", "+3584001234567"),
            (
                "ATMA 39.246f.000e7c9c031200010001.000012345678.00",
                "0039246f000e7c9c03120001000100001234567800",
                "39246f000e7c9c03120001000100001234567800"
            ),
            // RFC 3123, section 5.
            (
                "APL 1:192.168.32.0/21 !1:192.168.38.0/28",
                "00011503c0a82000011c83c0a826",
                "1:192.168.32.0/21 !1:192.168.38.0/28"
            ),
            (
                "APL 1:224.0.0.0/4 2:FF00:0:0:0:0:0:0:0/8 !2:2001:db8::/32 1:0.0.0.0/0",
                "00010401e000020801ff0002208420010db800010000",
                "1:224.0.0.0/4 2:ff00::/8 !2:2001:db8::/32 1:0.0.0.0/0"
            ),
            ("APL", "", "\\# 0"),
            // RFC 4025, section 3.2; the last has no key (section 2.4).
            (
                "IPSECKEY 10 1 2 192.0.2.38 AQNRU3mG7TVTO2BkR47usntb102uFJtugbo6BSGvgqt4AQ==",
                "0a0102c0000226010351537986ed35533b6064478eeeb27b5bd74dae149b6e81ba3a0521af82ab7801",
                "10 1 2 192.0.2.38 AQNRU3mG7TVTO2BkR47usntb102uFJtugbo6BSGvgqt4AQ=="
            ),
            (
                "IPSECKEY 10 0 2 . AQNRU3mG7TVTO2BkR47usntb102uFJtugbo6BSGvgqt4AQ==",
                "0a0002010351537986ed35533b6064478eeeb27b5bd74dae149b6e81ba3a0521af82ab7801",
                "10 0 2 . AQNRU3mG7TVTO2BkR47usntb102uFJtugbo6BSGvgqt4AQ=="
            ),
            (
                "IPSECKEY 10 2 2 2001:0DB8:0:8002::2000:1 AQNRU3mG7TVTO2BkR47usntb102uFJtugbo6BSGvgqt4AQ==",
                "0a020220010db8000080020000000020000001010351537986ed35533b6064478eeeb27b5bd74dae149b6e81ba3a0521"
                    + "af82ab7801",
                "10 2 2 2001:db8:0:8002::2000:1 AQNRU3mG7TVTO2BkR47usntb102uFJtugbo6BSGvgqt4AQ=="
            ),
            (
                "IPSECKEY 10 3 2 Mygateway.example.com. AQNRU3mG7TVTO2BkR47usntb102uFJtugbo6BSGvgqt4AQ==",
                "0a0302094d7967617465776179076578616d706c6503636f6d00010351537986ed35533b6064478eeeb27b5bd74dae14"
                    + "9b6e81ba3a0521af82ab7801",
                "10 3 2 Mygateway.example.com. AQNRU3mG7TVTO2BkR47usntb102uFJtugbo6BSGvgqt4AQ=="
            ),
            ("IPSECKEY 10 1 0 192.0.2.3", "0a0100c0000203", "10 1 0 192.0.2.3"),
            // RFC 4701, section 3.6.1.
            (
                "DHCID ( AAIBY2/AuCccgoJbsaxcQc9TUapptP69lOjxfNuVAA2kjEA= )",
                "000201636fc0b8271c82825bb1ac5c41cf5351aa69b4febd94e8f17cdb95000da48c40",
                "AAIBY2/AuCccgoJbsaxcQc9TUapptP69lOjxfNuVAA2kjEA="
            ),
            // RFC 8005, section 6, and shorter.
            (
                "HIP 2 200100107B1A74DF365639CC39F1D578 AwEAAbdxyhNuSutc5EMzxTs9LBPCIkOFH8cIvM4p9+LrV4e19WzK00+CI"
                    + "6zBCQTdtWsuxKbWIy87UOoJTwkUs7lBu+Upr1gsNrut79ryra+bSRGQb1slImA8YVJyuIDsj7kwzG7jnERNqnWxZ48AWkskm"
                    + "dHaVDP4BcelrTI3rMXdXF5D",
                "10020084200100107b1a74df365639cc39f1d57803010001b771ca136e4aeb5ce44333c53b3d2c13c22243851fc708bc"
                    + "ce29f7e2eb5787b5f56ccad34f8223acc10904ddb56b2ec4a6d6232f3b50ea094f0914b3b941bbe529af582c36bbadef"
                    + "daf2adaf9b4911906f5b2522603c615272b880ec8fb930cc6ee39c444daa75b1678f005a4b2499d1da5433f805c7a5ad"
                    + "3237acc5dd5c5e43",
                "2 200100107B1A74DF365639CC39F1D578 AwEAAbdxyhNuSutc5EMzxTs9LBPCIkOFH8cIvM4p9+LrV4e19WzK00+CI6zBC"
                    + "QTdtWsuxKbWIy87UOoJTwkUs7lBu+Upr1gsNrut79ryra+bSRGQb1slImA8YVJyuIDsj7kwzG7jnERNqnWxZ48AWkskmdHaV"
                    + "DP4BcelrTI3rMXdXF5D"
            ),
            (
                "HIP 2 200100107B1A74DF365639CC39F1D578 AwEAAbdxyhNuSutc5EMz Rvs1.Example.com. Rvs2",
                "1002000f200100107b1a74df365639cc39f1d57803010001b771ca136e4aeb5ce443330452767331074578616d706c65"
                    + "03636f6d000452767332076578616d706c6503636f6d00",
                "2 200100107B1A74DF365639CC39F1D578 AwEAAbdxyhNuSutc5EMz Rvs1.Example.com. Rvs2.example.com."
            ),
            // Templates at IANA.
            ("NINFO \"zone status\" green", "0b7a6f6e652073746174757305677265656e", "\"zone status\" \"green\""),
            ("RKEY 0 3 5 AQPSKmynfz8=", "000003050103d22a6ca77f3f", "0 3 5 AQPSKmynfz8="),
            (
                "TALINK Previous Next",
                "0850726576696f7573076578616d706c6503636f6d00044e657874076578616d706c6503636f6d00",
                "Previous.example.com. Next.example.com."
            ),
            // RFC 9859, section 2.
            (
                "DSYNC CDS NOTIFY 5359 Scanner.Example.net.",
                "003b0114ef075363616e6e6572074578616d706c65036e657400",
                "CDS 1 5359 Scanner.Example.net."
            ),
            (
                "DSYNC CSYNC 1 5300 Scanner",
                "003e0114b4075363616e6e6572076578616d706c6503636f6d00",
                "CSYNC 1 5300 Scanner.example.com."
            ),
            // RFC 9886, sections 5.1 and 5.2.
            ("HHIT gwppM2ZmOCAwMDAw", "830a69336666382030303030", "gwppM2ZmOCAwMDAw"),
            ("BRID owAAAYIEWDYB", "a30000018204583601", "owAAAYIEWDYB"),
            // RFC 6742, sections 2.1 to 2.4.
            ("NID 10 0014:4fff:ff20:ee64", "000a00144fffff20ee64", "10 0014:4fff:ff20:ee64"),
            ("NID 65535 0:1:fFfF:20", "ffff00000001ffff0020", "65535 0000:0001:ffff:0020"),
            ("L32 10 10.1.2.0", "000a0a010200", "10 10.1.2.0"),
            ("L64 10 2001:0DB8:1140:1000", "000a20010db811401000", "10 2001:0db8:1140:1000"),
            (
                "LP 10 L64-subnet1.example.com.",
                "000a0b4c36342d7375626e657431076578616d706c6503636f6d00",
                "10 L64-subnet1.example.com."
            ),
            // Templates at IANA.
            (
                "AVC \"app-name:WOLFGANG|app-class:OAM|business=yes\"",
                "2c6170702d6e616d653a574f4c4647414e477c6170702d636c6173733a4f414d7c627573696e6573733d796573",
                "\"app-name:WOLFGANG|app-class:OAM|business=yes\""
            ),
            (
                "DOA 0 1 2 \"\" aHR0cHM6Ly93d3cuaXNjLm9yZy8=",
                "0000000000000001020068747470733a2f2f7777772e6973632e6f72672f",
                "0 1 2 \"\" aHR0cHM6Ly93d3cuaXNjLm9yZy8="
            ),
            (
                "DOA 1234567890 1234567890 1 \"image/gif\" -",
                "499602d2499602d20109696d6167652f676966",
                "1234567890 1234567890 1 \"image/gif\" -"
            ),
            // RFC 8777, section 4.3.2, and without a relay.
            ("AMTRELAY 10 0 1 203.0.113.15", "0a01cb00710f", "10 0 1 203.0.113.15"),
            ("AMTRELAY 10 0 2 2001:db8::15", "0a0220010db8000000000000000000000015", "10 0 2 2001:db8::15"),
            (
                "AMTRELAY 128 1 3 Amtrelays.example.com.",
                "808309416d7472656c617973076578616d706c6503636f6d00",
                "128 1 3 Amtrelays.example.com."
            ),
            ("AMTRELAY 0 1 0 .", "0080", "0 1 0 ."),
            // RFC 9606, section 4.
            (
                "RESINFO qnamemin exterr=15,16,17 infourl=https://resolver.example.com/guide",
                "08716e616d656d696e0f6578746572723d31352c31362c31372a696e666f75726c3d68747470733a2f2f7265736f6c76"
                    + "65722e6578616d706c652e636f6d2f6775696465",
                "\"qnamemin\" \"exterr=15,16,17\" \"infourl=https://resolver.example.com/guide\""
            ),
            (
                "WALLET \"ETH\" \"0x1234567890123456789012345678901234567890\"",
                "034554482a307831323334353637383930313233343536373839303132333435363738393031323334353637383930",
                "\"ETH\" \"0x1234567890123456789012345678901234567890\""
            ),
            // A template at IANA, and RFC 4431, section 2.
            (
                "TA 30795 1 1 310D27F4D82C1FC2400704EA9939FE6E1CEAA3B9",
                "784b0101310d27f4d82c1fc2400704ea9939fe6e1ceaa3b9",
                "30795 1 1 310D27F4D82C1FC2400704EA9939FE6E1CEAA3B9"
            ),
            (
                "DLV 30795 1 1 310D27F4D82C1FC2400704EA9939FE6E1CEAA3B9",
                "784b0101310d27f4d82c1fc2400704ea9939fe6e1ceaa3b9",
                "30795 1 1 310D27F4D82C1FC2400704EA9939FE6E1CEAA3B9"
            ),
        ])
    func roundTrip(text: String, wire: String, printed: String) {
        let contents = read(text)
        #expect(contents.errors.isEmpty, "\(contents.errors)")
        guard let record = contents.records.first?.record else { return }
        #expect(record.data == hex(wire))
        #expect(record.type.isWellFormed(record.data))
        #expect(record.type.presentation(of: record.data) == printed)
        #expect(read("\(record.type) \(printed)").records.first?.record == record)
        #expect(read("\(record.type) \\# \(record.data.count) \(wire)").records.first?.record == record)
    }

    @Test(
        "other spellings give the same data",
        arguments: [
            ("WKS 10.0.0.1 udp DOMAIN 0", "0a000001 11 80000000000004"), ("NSAP 0X4.7", "47"), ("ATMA 0.0", "0000"),
            ("X25 \"3110\"", "0433313130"),
            ("GPOS +90. -180.00 -1000000", "042b39302e 072d3138302e3030 082d31303030303030"),
            ("APL 2:::1.2.3.4/128", "0002 80 10 00000000000000000000000001020304"),
            ("APL 1:255.255.255.255/0", "0001 00 04 ffffffff"),
            ("NXT . TYPE127 TYPE1", "00 40000000000000000000000000000001"), ("NXT .", "00"),
            ("DSYNC TYPE65535 255 0 .", "ffff ff 0000 00"), ("KEY 256 3 5 AQ== ", "0100 03 05 01"),
            ("HIP ( 0 00 AA== \n . )", "01 00 0001 00 00 00"),
            ("AMTRELAY 255 1 2 ::", "ff 82 00000000000000000000000000000000"),
            ("IPSECKEY 0 3 1 . AA==", "00 03 01 00 00"), ("DOA 0 0 0 \"\" -", "00000000 00000000 00 00"),
        ] as [(String, String)])
    func spellings(text: String, wire: String) {
        let contents = read(text)
        #expect(contents.errors.isEmpty, "\(contents.errors)")
        #expect(contents.records.first?.record.data == hex(wire))
    }

    @Test(
        "invalid data is an error at its position, with what was expected",
        arguments: [
            ("MB", 9, "mail host is missing"), ("MINFO a", 15, "mailbox for errors is missing"),
            ("NULL abc", 14, "no text form"), ("RT 65536 a", 12, "larger than 65535"),
            ("PX 1 a", 14, "X.400 domain is missing"),
            ("WKS 10.0.0 6", 13, "not an address"), ("WKS 10.0.0.1 256", 22, "larger than 255"),
            ("WKS 10.0.0.1 HOST", 22, "protocol is neither"), ("WKS 10.0.0.1 6 65536", 24, "larger than 65535"),
            ("WKS 10.0.0.1 6 nosuch", 24, "list of services is neither"),
            ("X25 311", 13, "not four decimal digits"), ("X25 31l1", 13, "not four decimal digits"),
            ("ISDN 1 2 3", 18, "more than the type has fields for"), ("ISDN", 9, "ISDN address is missing"),
            ("NSAP 47", 14, "not 0x"), ("NSAP 0x", 14, "not 0x"), ("NSAP 0x4", 14, "not 0x"),
            ("NSAP 0x4g", 14, "not 0x"),
            ("NSAP 0y47", 14, "not 0x"),
            ("ATMA 1", 14, "not hexadecimal digits"), ("ATMA .12", 14, "not hexadecimal digits"),
            ("ATMA 12.", 14, "not hexadecimal digits"), ("ATMA 1..2", 14, "not hexadecimal digits"),
            ("ATMA +", 14, "decimal digits"), ("ATMA +1a", 14, "decimal digits"), ("ATMA +1..2", 14, "decimal digits"),
            ("GPOS 90.01 0 0", 14, "-90 to 90"), ("GPOS 91 0 0", 14, "-90 to 90"),
            ("GPOS 0 -180.1 0", 16, "-180 to 180"),
            ("GPOS 0 0 \"\"", 18, "not a decimal number;"), ("GPOS 0 0 .5", 18, "not a decimal number;"),
            ("GPOS 0 0 1.2.3", 18, "not a decimal number;"), ("GPOS 0 0 --1", 18, "not a decimal number;"),
            ("NXT . TYPE128", 15, "from 1 to 127"), ("NXT . BOGUS", 15, "not a record type"),
            ("NXT . TYPE0", 15, "from 1 to 127"),
            ("EID", 9, "identifier is missing"), ("NIMLOC 1", 16, "odd number"),
            ("APL 192.0.2.0/24", 13, "not a prefix"), ("APL 3:192.0.2.0/24", 13, "not a prefix"),
            ("APL 1:192.0.2.0", 13, "not a prefix"), ("APL 1:192.0.2.0/33", 13, "not a prefix"),
            ("APL 1:::/0", 13, "not a prefix"), ("APL 2:::/129", 13, "not a prefix"),
            ("APL 2:192.0.2.0/24", 13, "not a prefix"),
            ("APL 1:192.0.2.0/", 13, "not a prefix"), ("APL 1:192.0.2/24", 13, "not a prefix"),
            ("APL !", 13, "not a prefix"),
            ("APL 1:0.0.0.0/0 1/2:", 25, "not a prefix"), ("APL !!1:192.0.2.0/24", 13, "not a prefix"),
            ("IPSECKEY 10 4 2 . AA==", 21, "gateway type is not 0"), ("IPSECKEY 10 0 2 a AA==", 25, "write \".\""),
            ("IPSECKEY 10 1 2 :: AA==", 25, "not an address"), ("IPSECKEY 10 2 2 192.0.2.1 AA==", 25, "not an address"),
            ("IPSECKEY 10 1 2 192.0.2.1", 25, "public key is missing"),
            ("IPSECKEY 10 0 0 . AA==", 27, "more than the type has fields for"),
            ("IPSECKEY 10 0 2", 23, "gateway is missing"), ("IPSECKEY 256 0 0 .", 18, "precedence is larger"),
            ("AMTRELAY 10 2 0 .", 21, "discovery flag is larger"), ("AMTRELAY 10 0 4 .", 23, "relay type is not 0"),
            ("AMTRELAY 10 0 0", 23, "relay is missing"), ("AMTRELAY 10 0 1 .", 25, "not an address"),
            ("AMTRELAY 10 0 0 a", 25, "write \".\""), ("AMTRELAY 10 1 3 a..b", 25, "relay is not a domain name"),
            ("DHCID", 9, "identifier is missing"), ("DHCID AAA", 15, "not whole base64"),
            ("HIP 2 ABC AA==", 15, "odd number"), ("HIP 2 00", 15, "public key is missing"),
            ("HIP 256 00 AA==", 13, "larger than 255"),
            ("HIP 2 00 A=A=", 18, "not base64"), ("HIP 2 00 AAA .", 18, "not whole base64"),
            ("HIP 2 00 AA== a..b", 23, "rendezvous server is not"),
            ("HIP 2 \"\" AA==", 15, "not 1 to 255 bytes"),
            ("KEY 256 3", 17, "algorithm is missing"), ("RKEY 0 3 5", 18, "public key is missing"),
            ("KEY 0 3 5 A", 19, "not whole base64"),
            ("TALINK a", 16, "next name is missing"), ("DSYNC BOGUS NOTIFY 1 a", 15, "not a record type"),
            ("DSYNC CDS BOGUS 1 a", 19, "scheme is neither"), ("DSYNC CDS NOTIFY 65536 a", 26, "port is larger"),
            ("NID 1 0:0:0", 15, "four groups"), ("NID 1 0:0:0:0:0", 15, "four groups"),
            ("NID 1 ::1", 15, "four groups"),
            ("NID 1 00000:0:0:0", 15, "four groups"), ("L64 1 0:0:0:g", 15, "four groups"),
            ("L32 1 ::1", 15, "not an address"),
            ("LP 1", 12, "name of the locators is missing"), ("DOA 1 1 1 \"\"", 19, "data is missing"),
            ("NINFO", 9, "text is missing"),
            ("X25 \\# 4 03313233", 13, "not valid RDATA of X25"),
            ("X25 \\# 5 0431323361", 13, "not valid RDATA of X25"),
            ("GPOS \\# 6 013101310178", 14, "not valid RDATA of GPOS"),
            ("NXT \\# 2 0080", 13, "not valid RDATA of NXT"),
            ("NXT \\# 3 004000", 13, "not valid RDATA of NXT"),
            ("WKS \\# 6 0a0000010600", 13, "not valid RDATA of WKS"),
            ("ATMA \\# 1 00", 14, "not valid RDATA of ATMA"), ("ATMA \\# 2 0161", 14, "not valid RDATA of ATMA"),
            ("ATMA \\# 2 0231", 14, "not valid RDATA of ATMA"), ("APL \\# 4 00032000", 13, "not valid RDATA of APL"),
            ("APL \\# 5 0001200100", 13, "not valid RDATA of APL"),
            ("APL \\# 4 00012101", 13, "not valid RDATA of APL"),
            ("APL \\# 9 000120050102030405", 13, "not valid RDATA of APL"),
            ("APL \\# 3 000120", 13, "not valid RDATA of APL"),
            ("IPSECKEY \\# 3 0a0002", 18, "not valid RDATA of IPSECKEY"),
            ("IPSECKEY \\# 4 0a000000", 18, "not valid RDATA of IPSECKEY"),
            ("IPSECKEY \\# 4 0a040201", 18, "not valid RDATA of IPSECKEY"),
            ("IPSECKEY \\# 6 0a0100c00002", 18, "not valid RDATA of IPSECKEY"),
            ("AMTRELAY \\# 3 0a0000", 18, "not valid RDATA of AMTRELAY"),
            ("AMTRELAY \\# 2 0a04", 18, "not valid RDATA of AMTRELAY"),
            ("AMTRELAY \\# 1 0a", 18, "not valid RDATA of AMTRELAY"),
            ("HIP \\# 5 0002000100", 13, "not valid RDATA of HIP"),
            ("HIP \\# 5 0102000000", 13, "not valid RDATA of HIP"),
            ("HIP \\# 5 0102000100", 13, "not valid RDATA of HIP"),
            ("HIP \\# 7 01020001000001", 13, "not valid RDATA of HIP"),
            ("ISDN \\# 3 013102", 14, "not valid RDATA of ISDN"),
            ("L64 \\# 3 000100", 13, "not valid RDATA of L64"), ("MB \\# 2 0000", 12, "not valid RDATA of MB"),
            ("TYPE13 \\# 0", 16, "not valid RDATA of HINFO"),
        ] as [(String, Int, String)])
    func errors(text: String, column: Int, message: String) {
        let contents = read(text)
        #expect(contents.errors.count == 1)
        #expect(contents.errors.first?.message.contains(message) == true, "\(contents.errors)")
        #expect(contents.errors.first?.column == column, "\(contents.errors)")
    }
}
