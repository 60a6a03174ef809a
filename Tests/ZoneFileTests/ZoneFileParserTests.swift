import DNSWire
import Testing
import ZoneFile

private let apex = DomainName(wire: [7] + Array("example".utf8) + [3] + Array("com".utf8) + [0]) ?? .root

private func parse(_ text: String) -> ZoneFileContents {
    ZoneFileParser.parse(text: text, file: "test.zone", origin: apex)
}

/// Owner, TTL and type of each record.
private func summary(_ contents: ZoneFileContents) -> [String] {
    contents.records.map { "\($0.record.owner) \($0.record.ttl) \($0.record.type)" }
}

@Suite("Zone files")
struct ZoneFileParserTests {
    @Test("the example of RFC 1035, section 5.3, is read")
    func classic() {
        let contents = ZoneFileParser.parse(
            text: """
                @   IN  SOA     VENERA      Action\\.domains (
                                                 20     ; SERIAL
                                                 7200   ; REFRESH
                                                 600    ; RETRY
                                                 3600000; EXPIRE
                                                 60)    ; MINIMUM

                        NS      A.ISI.EDU.
                        NS      VENERA
                        MX      10      VENERA
                A       A       26.3.0.103
                VENERA  A       10.1.0.52
                        A       128.9.0.32
                """, file: "isi.zone", origin: DomainName(wire: [3, 73, 83, 73, 3, 69, 68, 85, 0]) ?? .root)
        // The file has no TTL: the only thing that is not right today.
        #expect(contents.errors.count == 7)
        let fixed = parse(
            "$TTL 60\n@ SOA VENERA Action\\.domains (20 7200 600\n 3600000 60) ; done\n NS VENERA\nA A 26.3.0.103\n")
        #expect(fixed.errors.isEmpty)
        #expect(summary(fixed) == ["example.com. 60 SOA", "example.com. 60 NS", "A.example.com. 60 A"])
        #expect(
            fixed.records[0].record.data.suffix(20) == [
                0, 0, 0, 20, 0, 0, 28, 32, 0, 0, 2, 88, 0, 54, 238, 128, 0, 0, 0, 60,
            ])
        #expect(fixed.records[0].record.data.dropFirst(20).first == 14, "the escaped dot is part of the label")
        #expect(fixed.records.map(\.line) == [2, 4, 5])
    }

    @Test("TTLs come from the record, then $TTL, then the last record; TTL and class in either order")
    func ttls() {
        let contents = parse(
            "a 1h IN A 1.2.3.4\nb A 1.2.3.4\n$TTL 1d\nc IN 90 A 1.2.3.4\nd A 1.2.3.4\n 1w2d3h4m5s A 1.2.3.4\n")
        #expect(contents.errors.isEmpty)
        #expect(contents.records.map(\.record.ttl) == [3600, 3600, 90, 86_400, 788_645])
    }

    @Test("$ORIGIN completes relative names, @ is the origin, absolute names stay")
    func origins() {
        let contents = parse(
            "$TTL 1\n$ORIGIN sub\nx A 1.2.3.4\n@ A 1.2.3.4\n$ORIGIN example.org.\ny A 1.2.3.4\nz. A 1.2.3.4\n")
        #expect(
            contents.records.map(\.record.owner.description) == [
                "x.sub.example.com.", "sub.example.com.", "y.example.org.", "z.",
            ])
    }

    @Test(
        "each type's text becomes its RDATA",
        arguments: [
            ("A 192.0.2.1", [192, 0, 2, 1]), ("AAAA ::1", Array(repeating: 0, count: 15) + [1]),
            ("CNAME x.", [1, 0x78, 0]),
            ("DNAME x.", [1, 0x78, 0]), ("NS x.", [1, 0x78, 0]), ("PTR x.", [1, 0x78, 0]),
            ("MX 258 x.", [1, 2, 1, 0x78, 0]),
            ("SRV 1 2 53 x.", [0, 1, 0, 2, 0, 53, 1, 0x78, 0]),
            ("TXT a \"b c\" \"\"", [1, 0x61, 3, 0x62, 0x20, 0x63, 0]),
            ("TXT \"a;b\" \\; \\097 \"q\\\"q\"", [3, 0x61, 0x3B, 0x62, 1, 0x3B, 1, 0x61, 3, 0x71, 0x22, 0x71]),
            ("TXT \"a\"\"b\"", [1, 0x61, 1, 0x62]), ("CAA 128 issue \"ca\"", [128, 5] + Array("issueca".utf8)),
            ("TYPE65280 \\# 3 ab CDef", [0xAB, 0xCD, 0xEF]), ("TYPE731 \\# 0", []), ("A \\# 4 01020304", [1, 2, 3, 4]),
            ("TYPE1 1.2.3.4", [1, 2, 3, 4]),
        ] as [(String, [UInt8])])
    func data(text: String, data: [UInt8]) {
        let contents = parse("x 60 IN \(text) ; comment\n")
        #expect(contents.errors.isEmpty)
        #expect(contents.records.map(\.record.data) == [data])
    }

    @Test(
        "an error has file, line and column",
        arguments: [
            ("x 60 A 1.2.3.256", 8), ("x 60 A", 6), ("x 60 A ::1", 8), ("x 60 AAAA 1.2.3.4", 11),
            ("x 60 A 1.2.3.4 5", 16),
            ("x 60 BOGUS y", 6), ("x 60", 3), ("x 60 CH A 1.2.3.4", 6), ("x 60 ANY y", 6), ("x A 1.2.3.4", 5),
            (" 60 A 1.2.3.4", 2),
            ("x..y 60 A 1.2.3.4", 1), ("x 60 MX 65536 y", 9), ("x 60 MX ten y", 9), ("x 60 TXT \"open", 10),
            ("x 60 TXT \"\\256\"", 10),
            ("x 60 A 1.2.3.4 )", 16), ("x 60 A ( 1.2.3.4", 8), ("x 60 A (( 1.2.3.4 ))", 9),
            ("x 60 TYPE65280 \\# 2 ab", 21),
            ("x 60 TYPE65280 \\# 1 a", 21), ("x 60 TYPE65280 \\# 1 xy", 21), ("x 60 TYPE65280 y", 16),
            ("x 60 A \\# 1 ff", 8),
            ("x 4294967296 A 1.2.3.4", 3), ("x 1x A 1.2.3.4", 3), ("$INCLUDE other.zone", 10),
            ("$GENERATE 2-1 a A 1.2.3.4", 11),
            ("$BOGUS", 1),
            ("$TTL", 1),
            ("x 60 CAA 0 is-sue y", 12), ("x 60 CAA 256 issue y", 10),
            ("x 60 TXT \(String(repeating: "a", count: 256))", 10),
        ])
    func errors(text: String, column: Int) {
        let contents = parse("; first line\n\(text)\n")
        #expect(contents.errors.count == 1)
        #expect(contents.errors.first?.line == 2 && contents.errors.first?.column == column, "\(contents.errors)")
        #expect(contents.records.isEmpty)
    }

    @Test("all errors are reported, and valid records are kept")
    func allErrors() {
        let contents = parse("$TTL 60\na A 1\nb A 1.2.3.4\nc TXT \"open\nd A )\ne A 1.2.3.4\nf BOGUS\n")
        #expect(contents.errors.map(\.line) == [2, 4, 5, 7])
        #expect(summary(contents) == ["b.example.com. 60 A", "e.example.com. 60 A"])
        #expect(contents.errors[0].description.hasPrefix("test.zone:2:5: "))
    }

    @Test("line ends of other systems, tabs, empty lines and a missing last line end do no harm")
    func blanks() {
        let contents = parse("\r\n\t\r\n ; only a comment\r\n$TTL\t60\r\na\tA\t1.2.3.4\r\n\tA\t1.2.3.5")
        #expect(contents.errors.isEmpty)
        #expect(summary(contents) == ["a.example.com. 60 A", "a.example.com. 60 A"])
    }

    @Test("no mutated text crashes the parser or the checks")
    func mutations() {
        let seed = Array(
            """
            $TTL 1h
            @ SOA ns admin ( 1 2h 3 4 5 ) ; comment
            @ NS ns
            ns A 192.0.2.1
            x\\.y 60 IN TXT "a\\"b" \\097 c
             MX 10 ns
            $ORIGIN sub
            z CAA 0 issue "ca.example.net"
            _s._tcp SRV 1 2 3 ns
            g TYPE65280 \\# 3 abcdef
            d DNAME @
            $GENERATE 1-9/2 h${1,2,x} A 192.0.2.$
            v HTTPS 1 . alpn="h2,f\\\\,o" port=443 ipv4hint=192.0.2.1 key99="a b" mandatory=port
            l LOC 42 21 54.1 N 71 06 18 W -24m 30m 10m 1m
            n NSEC a A RRSIG TYPE1234
            n NSEC3 1 0 5 aabb 0p9mhaveqvm6t7vbl5lop2u3t2rp3tom A
            n RRSIG A 13 2 60 20300101000000 1893456000 1 @ AAECAwQ=
            n NAPTR 1 2 "s" "x+y" "!a!b!" .
            n AAAA 2001:db8::192.0.2.1
            n EUI48 00-00-5e-00-53-2a
            """.utf8)
        let bytes = Array("\"\\();@$. \n\t0a\u{FF}#".utf8)
        var state: UInt64 = 7
        func next(_ bound: Int) -> Int {
            // A linear congruential generator: the same texts in every run.
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        for _ in 0..<20_000 {
            var text = seed
            for _ in 0...next(4) {
                let position = next(text.count)
                switch next(4) {
                case 0: text.remove(at: position)
                case 1: text.insert(bytes[next(bytes.count)], at: position)
                case 2: text[position] = bytes[next(bytes.count)]
                default: text.removeSubrange(position..<min(position + next(12), text.count))
                }
            }
            let contents = ZoneFileParser.parseZone(text: text, file: "mutated", apex: apex)
            for record in contents.records.map(\.record) {
                #expect(record.type.isWellFormed(record.data))
                #expect(parse(record.presentation).records.first?.record == record, "\(record.presentation)")
            }
            for error in contents.errors { #expect(error.line >= 1 && error.column >= 1) }
        }
    }
}
