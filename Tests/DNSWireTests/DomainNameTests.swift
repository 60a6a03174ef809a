import DNSWire
import Testing

@Suite("Domain names")
struct DomainNameTests {
    @Test(
        "a name prints with its final dot and the escapes it needs",
        arguments: [
            ("example.com", "example.com."), ("Example.COM.", "Example.COM."), (".", "."), ("a\\.b.c", "a\\.b.c."),
            ("\\097b", "ab."), ("a\\032b", "a\\032b."), ("\\255", "\\255."), ("*.x", "*.x."), ("a\\\\b", "a\\\\b."),
        ])
    func text(text: String, printed: String) throws {
        let name = try DomainName(text)
        #expect(name.description == printed)
        #expect(try DomainName(printed).wire == name.wire)
        #expect(DomainName(wire: name.wire)?.wire == name.wire)
    }

    @Test(
        "text that is not a name is refused, with the reason",
        arguments: [
            ("", DomainNameError.empty), ("a..b", .emptyLabel), (".a", .emptyLabel), ("..", .emptyLabel),
            ("a\\", .badEscape),
            ("a\\25", .badEscape), ("a\\256", .badEscape), ("a\\2x5", .badEscape),
            (String(repeating: "a", count: 64), .labelTooLong),
            (Array(repeating: String(repeating: "a", count: 63), count: 4).joined(separator: "."), .nameTooLong),
        ])
    func refused(text: String, error: DomainNameError) {
        #expect(throws: error) { try DomainName(text) }
    }

    @Test("63 bytes in a label and 255 in a name are allowed")
    func limits() throws {
        let label = String(repeating: "a", count: 63)
        let name = try DomainName([label, label, label, String(repeating: "a", count: 61)].joined(separator: "."))
        #expect(name.wire.count == 255 && name.labelCount == 4)
        #expect(throws: DomainNameError.nameTooLong) { try DomainName("a." + name.description) }
    }

    @Test(
        "wire bytes that are not one whole uncompressed name are refused",
        arguments: [[], [1], [1, 0x61], [1, 0x61, 0, 0], [0xC0, 12], [64] + Array(repeating: 0x61, count: 64) + [0]]
            as [[UInt8]])
    func refusedWire(wire: [UInt8]) { #expect(DomainName(wire: wire) == nil) }

    @Test("case does not matter for equality, hash and order, and is preserved")
    func caseInsensitive() throws {
        let (one, other) = (try DomainName("WwW.Example.com"), try DomainName("www.eXample.COM"))
        #expect(one == other && one.hashValue == other.hashValue && !(one < other) && !(other < one))
        #expect(one.wire != other.wire && one.lowercasedWire == other.lowercasedWire)
        // "[" follows "Z" and is no letter: only letters are lowered.
        #expect(try DomainName("a[") != DomainName("a{"))
    }

    @Test("names sort as in the example of RFC 4034, section 6.1")
    func canonicalOrder() throws {
        let sorted = try [
            "example", "a.example", "yljkjljk.a.example", "Z.a.example", "zABC.a.EXAMPLE", "z.example",
            "\\001.z.example",
            "*.z.example", "\\200.z.example",
        ].map { try DomainName($0) }
        #expect(sorted.reversed().sorted() == sorted)
    }

    @Test("a name is a subdomain only at label boundaries")
    func subdomains() throws {
        let apex = try DomainName("Example.com")
        #expect(try DomainName("www.example.COM").isSubdomain(of: apex) && apex.isSubdomain(of: apex))
        #expect(try !DomainName("notexample.com").isSubdomain(of: apex) && !DomainName("com").isSubdomain(of: apex))
        // A label that holds the apex's wire bytes.
        #expect(try !DomainName("x\\007example\\003com").isSubdomain(of: apex))
        #expect(apex.isSubdomain(of: .root) && apex.parent?.parent == .root && DomainName.root.parent == nil)
    }

    @Test("relative names are completed with the origin")
    func relative() throws {
        let origin = try DomainName("example.com")
        #expect(try DomainName(presentation: Array("www".utf8), relativeTo: origin) == DomainName("www.example.com"))
        #expect(try DomainName(presentation: Array("www.".utf8), relativeTo: origin) == DomainName("www"))
        #expect(try DomainName(presentation: Array("a\\.".utf8), relativeTo: origin).labelCount == 3)
    }
}
