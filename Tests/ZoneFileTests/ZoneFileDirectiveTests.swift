import DNSWire
import Testing
import ZoneFile

private let apex = DomainName(wire: [7] + Array("example".utf8) + [3] + Array("com".utf8) + [0]) ?? .root

/// Files by name.
private struct Files: ZoneFileSource {
    var texts: [String: String]

    func read(_ path: String, includedBy includer: String) throws(ZoneFileSourceError) -> ZoneFileText {
        guard let text = texts[path] else { throw ZoneFileSourceError(message: "there is no such file") }
        return ZoneFileText(name: path, identity: path.lowercased(), text: Array(text.utf8))
    }
}

private func parse(_ text: String, _ files: [String: String] = [:]) -> ZoneFileContents {
    ZoneFileParser.parse(text: Array(text.utf8), file: "top", origin: apex, source: Files(texts: files))
}

private func owners(_ contents: ZoneFileContents) -> [String] { contents.records.map { "\($0.record.owner)" } }

@Suite("Zone file directives")
struct ZoneFileDirectiveTests {
    @Test("an included file has its own origin, and does not change that of the including file")
    func include() {
        let contents = parse(
            "$TTL 60\na A 192.0.2.1\n$INCLUDE \"b\" sub\n A 192.0.2.3\nd A 192.0.2.4\n$INCLUDE c ; comment\n",
            ["b": " A 192.0.2.9\nb A 192.0.2.2\n$ORIGIN x\n$TTL 5\nx 7 A 192.0.2.2\n", "c": "c A 192.0.2.5"])
        #expect(contents.errors.isEmpty)
        #expect(
            owners(contents) == [
                "a.example.com.", "a.example.com.", "b.sub.example.com.", "x.x.sub.example.com.", "a.example.com.",
                "d.example.com.", "c.example.com.",
            ])
        #expect(contents.records.map(\.record.ttl) == [60, 60, 60, 7, 60, 60, 60])
        #expect(contents.records.map(\.place)[3...4] == ["b:5:1", "top:4:2"])
        #expect(contents.files == ["top", "b", "c"])
    }

    @Test(
        "a file that cannot be included is an error in the line that asks for it",
        arguments: [
            ("$INCLUDE nowhere", ["top:1:10: cannot include nowhere: there is no such file"]),
            ("$INCLUDE top", ["top:1:10: top includes itself, here or by way of others; remove this line"]),
            ("$INCLUDE loop", ["loop:1:10: LOOP includes itself, here or by way of others; remove this line"]),
            ("$INCLUDE faulty", ["faulty:2:6: unknown record type \"BOGUS\"; correct it"]),
        ])
    func refusedIncludes(text: String, errors: [String]) {
        let files = ["top": "", "loop": "$INCLUDE LOOP", "LOOP": "$INCLUDE loop", "faulty": "\nx 60 BOGUS 1"]
        let contents = parse(text, files)
        #expect(contents.errors.count == errors.count)
        for (error, expected) in zip(contents.errors, errors) { #expect("\(error)".hasPrefix(expected), "\(error)") }
    }

    @Test("files are included ten deep and no deeper")
    func depth() {
        var files = ["f11": "deep 60 A 192.0.2.1"]
        for number in 1...10 { files["f\(number)"] = "$INCLUDE f\(number + 1)" }
        #expect(parse("$INCLUDE f2", files).records.count == 1)
        let contents = parse("$INCLUDE f1", files)
        #expect(contents.records.isEmpty && contents.errors.map(\.file) == ["f10"])
    }

    @Test(
        "$GENERATE creates a record for each number",
        arguments: [
            ("1-3 h$ A 192.0.2.$", ["h1 A 192.0.2.1", "h2 A 192.0.2.2", "h3 A 192.0.2.3"]),
            ("0-4/2 $ 60 IN PTR h${1}", ["0 PTR h1.example.com.", "2 PTR h3.example.com.", "4 PTR h5.example.com."]),
            ("9-10 h${-9,3} CNAME x${0,4,x}", ["h000 CNAME x0009.example.com.", "h001 CNAME x000a.example.com."]),
            ("10-10 ${0,0,o}.${0,2,X} A 192.0.2.1", ["12.0A A 192.0.2.1"]),
            ("291-291 ${0,5,n} NS ${0,0,N}", ["3.2.1 NS 3.2.1.example.com."]),
            ("1-1 a MX 10 \"m$\"", ["a MX 10 m1.example.com."]), ("1-1 $$\\$ TXT \"$ \\$\"", ["\\$\\$ TXT \"1 $\""]),
        ])
    func generate(text: String, records: [String]) {
        let contents = parse("$TTL 60\n$GENERATE \(text)\n")
        #expect(contents.errors.isEmpty)
        let made = contents.records.map {
            "\($0.record.owner) \($0.record.type) \($0.record.type.presentation(of: $0.record.data))"
        }
        #expect(made == records.map { $0.replacing(" ", with: ".example.com. ", maxReplacements: 1) })
        #expect(contents.records.allSatisfy { $0.line == 2 && $0.column == 1 })
    }

    @Test(
        "a wrong $GENERATE is one error at its position",
        arguments: [
            ("1 a A 192.0.2.1", 11, "range"), ("1-2/0 a A 192.0.2.1", 11, "range"), ("1-2 a A", 15, "needs an owner"),
            ("0-1048576 a A 192.0.2.1", 11, "more than 1048576"),
            (
                "0-1000000 h$ TXT " + String(repeating: "${0,250,d} ", count: 200), 1,
                "in this zone have more than 256 MiB"
            ), ("1-2 a${0 A 192.0.2.1", 15, "is wrong"),
            ("1-2 a${0,0,z} A 192.0.2.1", 15, "is wrong"), ("1-9 a${-2} A 192.0.2.1", 1, "makes 1 negative"),
            ("250-260 a$ A 192.0.2.$", 1, "in the record \"a256 A 192.0.2.256\""),
        ])
    func wrongGenerate(text: String, column: Int, message: String) {
        let contents = parse("$TTL 60\n$GENERATE \(text)\nb A 192.0.2.1\n")
        #expect(contents.errors.count == 1 && contents.errors.first?.column == column, "\(contents.errors)")
        #expect(contents.errors.first?.message.contains(message) == true, "\(contents.errors)")
        #expect(owners(contents).last == "b.example.com.")
    }

    @Test("the $GENERATE lines of a zone and its included files share one limit")
    func generateBound() throws {
        // Half and all but one of the bound: the second line would make one record too many.
        let zone = "$TTL 60\n$INCLUDE f1\n$GENERATE 0-524288 a$ A 192.0.2.1\n$GENERATE 0-3 b$ A 192.0.2.1\n"
        let contents = parse(zone, ["f1": "$GENERATE 1-524288 c A 192.0.2.1\n"])
        #expect(contents.records.count == 524_288 + 4)
        let error = try #require(contents.errors.first)
        #expect(contents.errors.count == 1 && error.line == 3 && error.column == 11, "\(contents.errors)")
        #expect(error.message.contains("more than 1048576 records in this zone, with 524288 made above"))
    }
}
