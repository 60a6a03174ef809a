/// Rows of text in aligned columns.
///
/// Columns are as wide as their widest cell and stand two spaces apart; lines have no trailing spaces. A column in which no
/// row has text is left out with its title, so that what is unknown for all takes no room.
public struct TextTable: Sendable {
    public enum Alignment: Sendable {
        case left, right
    }

    /// What one column shows.
    public struct Column: Sendable {
        let title: String
        let alignment: Alignment

        public static func left(_ title: String) -> Column { Column(title: title, alignment: .left) }
        /// For numbers.
        public static func right(_ title: String) -> Column { Column(title: title, alignment: .right) }
    }

    /// One cell; a string literal makes a plain one.
    public struct Cell: Sendable, ExpressibleByStringInterpolation {
        let text: String
        let style: TextStyle

        public init(_ text: String, _ style: TextStyle = .plain) {
            self.text = text.printable
            self.style = style
        }

        public init(stringLiteral value: String) { self.init(value) }
    }

    private let columns: [Column]
    private let hasTitles: Bool
    private var rows: [[Cell]] = []

    /// A table with a line of titles.
    public init(_ columns: [Column]) {
        self.columns = columns
        hasTitles = true
    }

    /// A table of labels and values, without titles.
    public static func labelled(_ pairs: [(label: String, value: String?)]) -> TextTable {
        var table = TextTable(untitled: [.left(""), .left("")])
        for (label, value) in pairs {
            guard let value else { continue }
            table.add([Cell(label, .faint), Cell(value)])
        }
        return table
    }

    private init(untitled columns: [Column]) {
        self.columns = columns
        hasTitles = false
    }

    public var isEmpty: Bool { rows.isEmpty }

    /// - Parameter cells: one for each column.
    public mutating func add(_ cells: [Cell]) {
        precondition(cells.count == columns.count, "a cell for each column")
        rows.append(cells)
    }

    /// The lines, without line breaks.
    public func lines(_ palette: Palette = .plain) -> [String] {
        let shown = columns.indices.filter { column in rows.contains { !$0[column].text.isEmpty } }
        let titles = columns.map { Cell($0.title, .faint) }
        let all = hasTitles ? [titles] + rows : rows
        let widths = shown.map { column in all.map { $0[column].text.count }.max() ?? 0 }
        return all.map { row in
            var line = ""
            // Padding is owed until text follows it, so that no line ends in spaces.
            var owed = 0
            for (column, width) in zip(shown, widths) {
                let cell = row[column]
                let padding = width - cell.text.count
                if columns[column].alignment == .right { owed += padding }
                if !cell.text.isEmpty {
                    line += String(repeating: " ", count: owed) + palette.paint(cell.text, cell.style)
                    owed = 0
                }
                if columns[column].alignment == .left { owed += padding }
                owed += 2
            }
            return line
        }
    }
}
