import CFastPathABI
import GeoData
import IPNetworks
import Testing

/// Numbers that look random and are the same in every run (SplitMix64).
private struct Numbers: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        return nc_mix(state)
    }
}

@Suite("A geofeed (RFC 8805)")
struct GeofeedTests {
    private func problems(_ text: String) throws -> [Geofeed.Problem] {
        try #require(throws: GeofeedError.self) { _ = try Geofeed.parse(Array(text.utf8)) }.problems
    }

    @Test("gives each line's network and names, and skips comments, blanks and line ends of any kind")
    func lines() throws {
        let feed = try Geofeed.parse(
            Array(
                #"""
                \#u{feff}# prefix,country,region,city,postal\#r
                192.0.2.0/24,US,US-CA,San Francisco,94103\#r

                2001:db8::/32, de ,, "Frankfurt, am ""Main""" ,   # a comment
                198.51.100.7,FR
                203.0.113.0/24,,,,
                2001:db8:1::/48,ZZ,,

                """#.utf8))
        #expect(
            feed.entries.map { "\($0.prefix)" } == [
                "192.0.2.0/24", "2001:db8::/32", "198.51.100.7/32", "203.0.113.0/24", "2001:db8:1::/48",
            ])
        #expect(feed.entries.map(\.country) == ["US", "DE", "FR", nil, nil])
        #expect(feed.entries.map(\.region) == ["US-CA", nil, nil, nil, nil])
        #expect(feed.entries.map(\.city) == ["San Francisco", #"Frankfurt, am "Main""#, nil, nil, nil])
        #expect(feed.entries.map(\.line) == [2, 4, 5, 6, 7])
    }

    @Test(
        "a feed without an entry is refused, because it may still be written", arguments: ["", "\n", "# later\n"])
    func empty(text: String) throws {
        let error = #expect(throws: GeofeedError.self) { try Geofeed.parse(Array(text.utf8)) }
        #expect(error?.problems.first?.message.contains("no entry") == true)
    }

    @Test(
        "a wrong line is reported with its number and the remedy",
        arguments: [
            ("192.0.2.1/24,US", "is not a network"), ("nonsense", "is not a network"), (",US,,", "is not a network"),
            ("192.0.2.0/24,USA", "is not a country code"), ("192.0.2.0/24,1A", "is not a country code"),
            ("192.0.2.0/24,ß", "is not a country code"), ("192.0.2.0/24,ﬁ", "is not a country code"),
            ("\u{1B}[2J", #""\u{1B}[2J" is no"#),
            ("192.0.2.0/24,,US-CA", "no country: add"), ("192.0.2.0/24,,,Paris", "no country: add"),
            ("192.0.2.0/24,US,US-CA,A,1,2", "6 fields"), (#"192.0.2.0/24,US,,"Paris"#, "quote"),
            (#"192.0.2.0/24,US,,"Paris" x"#, "quote"), ("2002:c000:200::/40,US", "6to4"),
            ("::ffff:192.0.2.0/120,US", "IPv4-mapped IPv6 prefix"),
        ])
    func wrong(line: String, message: String) throws {
        let feed = try Geofeed.parse(Array("# feed\n198.51.100.0/24,US\n\(line)\n203.0.113.0/24,FR\n".utf8))
        let found = feed.problems
        #expect(feed.entries.map(\.line) == [2, 4] && feed.leftOut == 1, "the good lines are used")
        #expect(found.map(\.line) == [3])
        #expect(found.first?.message.contains(message) == true, "\(found)")
    }

    @Test("a network that is given twice is reported with both lines")
    func twice() throws {
        let feed = try Geofeed.parse(Array("192.0.2.0/24,US\n\n192.0.2.0/24,DE\n".utf8))
        #expect(feed.entries.map(\.country) == ["US"])
        #expect(feed.problems == [.init(line: 3, message: "192.0.2.0/24 is given twice, first at line 1: remove one")])
    }

    @Test("only the first of very many problems are reported")
    func manyProblems() throws {
        #expect(try problems(String(repeating: "x\n", count: 1000)).count == Geofeed.maximumProblems)
        let feed = try Geofeed.parse(Array((String(repeating: "x\n", count: 1000) + "192.0.2.0/24,US\n").utf8))
        #expect(feed.problems.count == Geofeed.maximumProblems && feed.leftOut == 1000 && feed.entries.count == 1)
    }

    @Test("a line that is not UTF-8 is reported and left out")
    func notUTF8() throws {
        let feed = try Geofeed.parse(
            Array("192.0.2.0/24,CH,,".utf8) + [0x5a, 0xfc] + Array("rich\n198.51.100.0/24,CH,,Zürich\n".utf8))
        #expect(feed.entries.map(\.city) == ["Zürich"])
        #expect(feed.problems.map(\.line) == [1] && feed.problems[0].message.contains("not UTF-8"))
    }

    @Test("a file without one valid line is refused")
    func nothingGood() throws {
        #expect(try problems("<html>\n<p>Not found\n").count == 2)
    }

    @Test("a feed beyond the limit is refused")
    func tooLarge() {
        let bytes = [UInt8](repeating: 0x0a, count: Geofeed.maximumSize + 1)
        #expect(throws: GeofeedError.self) { _ = try Geofeed.parse(bytes) }
    }

    @Test("random bytes are read or refused, with line numbers inside the text")
    func anyBytes() {
        let parts = ["192.0.2.0/24", "::/0", "2002::/16", ",", "\"", "#", "\n", "\r\n", " ", "US", "/", "é", "\0", "1"]
        var random = Numbers(state: 95)
        var (read, refused) = (0, 0)
        for _ in 0..<20_000 {
            let text = (0..<Int.random(in: 0...24, using: &random)).map { _ in parts.randomElement(using: &random) ?? ""
            }
            .joined()
            let lines = text.utf8.count { $0 == 0x0a } + 1
            do throws(GeofeedError) {
                let feed = try Geofeed.parse(Array(text.utf8))
                #expect(
                    feed.entries.allSatisfy { (1...lines).contains($0.line) && !$0.prefix.isSixToFour },
                    "\(text.debugDescription)")
                if !feed.entries.isEmpty { read += 1 }
            } catch {
                #expect(
                    !error.problems.isEmpty && error.problems.allSatisfy { (1...lines).contains($0.line) },
                    "\(text.debugDescription)")
                refused += 1
            }
        }
        #expect(read > 100 && refused > 10_000, "\(read) were read, \(refused) refused")
    }
}
