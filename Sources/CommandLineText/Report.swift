/// Blocks of lines with an empty line between them, as every command prints.
struct Report {
    private var blocks: [[String]] = []
    let palette: Palette

    init(_ palette: Palette) {
        self.palette = palette
    }

    mutating func add(_ table: TextTable) {
        if !table.isEmpty { blocks.append(table.lines(palette)) }
    }

    /// A table under a heading, with a note below it.
    mutating func add(_ heading: String, _ table: TextTable, note: String? = nil) {
        let note = note.map { [palette.paint($0.printable, .faint)] } ?? []
        blocks.append([palette.paint(heading, .strong)] + table.lines(palette) + note)
    }

    /// Lines of others under a heading.
    mutating func add(_ heading: String, _ lines: [String]) {
        blocks.append([palette.paint(heading, .strong)] + lines.map(\.printable))
    }

    /// A line alone.
    mutating func add(_ line: String, _ style: TextStyle = .plain) {
        blocks.append([palette.paint(line.printable, style)])
    }

    /// Ends with a line break.
    var text: String {
        blocks.map { $0.joined(separator: "\n") }.joined(separator: "\n\n") + "\n"
    }
}
