import CommandLineText
import Testing

@Suite struct TextTableTests {
    private func table(_ columns: [TextTable.Column], _ rows: [[TextTable.Cell]]) -> TextTable {
        var table = TextTable(columns)
        for row in rows { table.add(row) }
        return table
    }

    @Test("columns are as wide as their widest cell, text to the left and numbers to the right")
    func alignment() {
        let table = table(
            [.left("node"), .right("share"), .left("state")], [["a", "100 %", "up"], ["longer", "4 %", "down"]])
        #expect(
            table.lines() == [
                "node    share  state",
                "a       100 %  up",
                "longer    4 %  down",
            ])
    }

    @Test("no line ends in spaces, also when its last cells are empty")
    func noTrailingSpaces() {
        let table = table(
            [.left("a"), .left("b"), .right("c")], [["1", "2", "3"], ["wide", "", ""], ["", "x", ""]])
        #expect(table.lines() == ["a     b  c", "1     2  3", "wide", "      x"])
    }

    @Test("an empty column is left out with its title")
    func emptyColumn() {
        let table = table([.left("node"), .left("city"), .left("state")], [["a", "", "up"]])
        #expect(table.lines() == ["node  state", "a     up"])
    }

    @Test("widths count characters, not bytes")
    func characters() {
        let table = table([.left("city"), .left("country")], [["Zürich", "CH"], ["Os\u{301}lo", "NO"]])
        #expect(table.lines() == ["city    country", "Zürich  CH", "Os\u{301}lo    NO"])
    }

    @Test("colours do not count as width")
    func colours() {
        let table = table([.left("state"), .left("by")], [[.init("up", .good), "me"]])
        #expect(
            table.lines(.coloured) == ["\u{1B}[2mstate\u{1B}[0m  \u{1B}[2mby\u{1B}[0m", "\u{1B}[32mup\u{1B}[0m     me"])
        #expect(table.lines(.plain) == ["state  by", "up     me"])
    }

    @Test(
        "control characters are shown as replacement characters",
        arguments: [
            ("a\u{1B}[2Jb", "a\u{FFFD}[2Jb"), ("two\nlines", "two\u{FFFD}lines"), ("\u{9B}31m", "\u{FFFD}31m"),
            ("\u{202E}gnp", "\u{FFFD}gnp"), ("København", "København"),
        ])
    func steering(text: String, shown: String) {
        #expect(text.printable == shown)
        #expect(table([.left("name")], [[.init(text)]]).lines() == ["name", shown])
    }

    @Test("labels stand before values, and a label without a value is left out")
    func labelled() {
        let table = TextTable.labelled([("node", "fra1"), ("by", nil), ("addresses", "192.0.2.1")])
        #expect(table.lines() == ["node       fra1", "addresses  192.0.2.1"])
    }
}
