import Testing
import VisibleText

@Suite struct VisibleTextTests {
    @Test(
        "what a terminal acts on, or nobody sees, is escaped; all else is as it was",
        arguments: [
            ("plain text, ü and 日本", "plain text, ü and 日本"), ("\u{1B}[2J", #"\u{1B}[2J"#), ("a\nb\0", #"a\nb\0"#),
            ("\u{7F}\u{9B}31m", #"\u{7F}\u{009B}31m"#), ("\u{202E}abc", #"\u{202E}abc"#), ("\u{2028}", #"\u{2028}"#),
            (#"a\nb"#, #"a\nb"#), ("", ""),
        ])
    func escaped(text: String, shown: String) {
        #expect(VisibleText.cut(text) == shown)
        #expect(VisibleText.quoted(text) == "\"\(shown)\"")
        #expect(shown.unicodeScalars.allSatisfy(VisibleText.isSeen))
    }

    @Test("a long text is cut, counted in scalars: one character may have any number of them")
    func long() {
        #expect(VisibleText.cut("abcdef", after: 6) == "abcdef")
        #expect(VisibleText.cut("abcdefg", after: 6) == "abcdef…")
        #expect(VisibleText.cut(String(repeating: "\u{301}", count: 10_000), after: 6).unicodeScalars.count == 7)
    }
}
