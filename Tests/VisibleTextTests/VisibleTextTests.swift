import Testing
import VisibleText

@Suite struct VisibleTextTests {
    @Test(
        "control and invisible characters are escaped, and all others are unchanged",
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

    @Test("a long text is cut by scalars, because one character may have any number of them")
    func long() {
        #expect(VisibleText.cut("abcdef", after: 6) == "abcdef")
        #expect(VisibleText.cut("abcdefg", after: 6) == "abcdef…")
        #expect(VisibleText.cut(String(repeating: "\u{301}", count: 10_000), after: 6).unicodeScalars.count == 7)
    }
}
