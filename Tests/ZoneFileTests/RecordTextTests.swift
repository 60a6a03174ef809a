import DNSWire
import Testing
import ZoneFile

@Suite("RDATA from its text")
struct RecordTextTests {
    @Test(
        "printed RDATA is read back to the same bytes",
        arguments: [
            (RecordType.a, "192.0.2.1"), (.aaaa, "2001:db8::1"), (.mx, "10 mail.example.com."),
            (.txt, "\"a b\" \"\\\"c\\\\\""), (.cname, "."), (.https, "1 . alpn=\"h2,h3\""),
            (.soa, "ns.example.com. box.example.com. 1 2 3 4 5"), (RecordType(rawValue: 65_280), "\\# 2 ABCD"),
            (.a, "\\# 4 C0000201"),
        ])
    func round(type: RecordType, text: String) throws {
        let data = try type.data(presentation: text)
        #expect(try type.data(presentation: type.presentation(of: data)) == data)
    }

    @Test(
        "invalid or ambiguous RDATA is refused, with its position and a remedy",
        arguments: [
            (RecordType.a, "", "the RDATA is missing"), (.a, "192.0.2", "column 1"), (.a, "192.0.2.1 x", "column 11"),
            (.mx, "10 mail", "does not end with a dot"), (.cname, "www.example.com", "does not end with a dot"),
            (.cname, "@", "does not end with a dot"), (.a, "192.0.2.1\n192.0.2.2", "one line"),
            (.txt, "\"open", "not closed"), (.a, "(192.0.2.1", "not closed"),
            (RecordType(rawValue: 65_280), "x", "\\#"),
            (.a, "; nothing", "the RDATA is missing"),
        ])
    func refused(type: RecordType, text: String, words: String) {
        #expect { try type.data(presentation: text) } throws: { "\($0)".contains(words) }
    }
}
