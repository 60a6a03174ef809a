public import Location

/// A picture as an SVG document, in a plate carrée projection: clients over the land, coloured by the node that serves
/// them.
public struct WorldMap: Sendable {
    /// A node to mark.
    public struct Mark: Sendable {
        public let id: String
        public let coordinates: Coordinates
        /// The text after the id in the legend.
        public let note: String

        public init(id: String, coordinates: Coordinates, note: String) {
            self.id = id
            self.coordinates = coordinates
            self.note = note
        }
    }

    private let picture: Picture
    private let title: String
    private let marks: [Mark]
    private let colors: [String: String]
    private static let cell = 2
    private static let margin = 40
    private static let legendLine = 18

    /// How many nodes the legend has: five columns of ten.
    private static let named = 50

    /// - Parameter marks: in the order of the legend, which has the first 50.
    public init(_ picture: Picture, title: String, marks: [Mark]) {
        self.picture = picture
        self.title = title
        self.marks = marks
        // Adjacent legend entries differ by the golden angle, which keeps the colours of any number of nodes distinct.
        let shades = marks.indices.map {
            Self.color(hue: Double($0) * 137.5, saturation: 0.7, lightness: [0.6, 0.48, 0.72][$0 / 8 % 3])
        }
        colors = Dictionary(zip(marks.map(\.id), shades)) { first, _ in first }
    }

    private var mapWidth: Int { Picture.columns * Self.cell }
    private var mapHeight: Int { Picture.rows * Self.cell }
    /// The legend has columns of ten.
    private var legendRows: Int { min(marks.count, 10) }

    public var svg: String {
        let width = mapWidth + 2 * Self.margin
        let height = mapHeight + 2 * Self.margin + Self.legendLine * (legendRows + 1)
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(height)" font-family="sans-serif" font-size="13">
            <title>\(Self.escaped(title))</title>
            <rect width="\(width)" height="\(height)" fill="#0e1420"/>
            <text x="\(Self.margin)" y="26" fill="#e8edf5" font-size="16">\(Self.escaped(title))</text>
            \(land)
            \(clients)
            \(nodes)
            \(legend)
            </svg>

            """
    }

    /// Coastlines are one pixel wide.
    private var land: String {
        let scale = Double(mapWidth) / Double(360 * Coastline.unitsPerDegree)
        return """
            <path transform="translate(\(Self.margin) \(Self.margin)) scale(\(scale))" fill="#1a2334" stroke="#50607c" \
            stroke-width="\(1 / scale)" stroke-linejoin="round" fill-rule="evenodd" d="\(Coastline.path)"/>
            """
    }

    /// One path for each colour and opacity, in which each cell is a square.
    private var clients: String {
        let cells = picture.cells
        let largest = cells.map(\.weight).max() ?? 1
        var paths: [String: [Int: String]] = [:]
        for cell in cells {
            let color = color(of: cell.node)
            let square =
                "M\(Self.margin + cell.column * Self.cell) \(Self.margin + cell.row * Self.cell)h\(Self.cell)v\(Self.cell)h-\(Self.cell)z"
            paths[color, default: [:]][Self.opacity(cell.weight, of: largest), default: ""] += square
        }
        return paths.sorted { $0.key < $1.key }.flatMap { color, levels in
            levels.sorted { $0.key < $1.key }.map { tenths, path in
                "<path fill=\"\(color)\" fill-opacity=\"0.\(tenths)\" d=\"\(path)\"/>"
            }
        }.joined(separator: "\n")
    }

    /// Tenths, 4...9, by order of magnitude, because a city has a million times the clients of a village.
    private static func opacity(_ weight: UInt64, of largest: UInt64) -> Int {
        let most = max(UInt64.bitWidth - largest.leadingZeroBitCount, 1)
        return 4 + 5 * (UInt64.bitWidth - weight.leadingZeroBitCount) / most
    }

    private var nodes: String {
        marks.enumerated().map { index, mark in
            let x = Self.margin + (Int(mark.coordinates.longitude) + 180_000_000) / 250_000
            let y = Self.margin + (90_000_000 - Int(mark.coordinates.latitude)) / 250_000
            return """
                <circle cx="\(x)" cy="\(y)" r="5" fill="\(color(of: mark.id))" stroke="#fff" stroke-width="1.5"/>
                \(index < Self.named ? label(mark.id, x + 8, y + 4) : "")
                """
        }.joined(separator: "\n")
    }

    private func label(_ id: String, _ x: Int, _ y: Int) -> String {
        """
        <text x="\(x)" y="\(y)" fill="#fff" stroke="#0e1420" stroke-width="3" paint-order="stroke">\(Self.escaped(id))</text>
        """
    }

    private var legend: String {
        marks.prefix(Self.named).enumerated().map { index, mark in
            let x = Self.margin + index / 10 * 280
            let y = mapHeight + 2 * Self.margin + Self.legendLine * (index % 10)
            return """
                <rect x="\(x)" y="\(y - 10)" width="10" height="10" fill="\(color(of: mark.id))"/>\
                <text x="\(x + 16)" y="\(y)" fill="#c3ccd9">\(Self.escaped(mark.id)) \(Self.escaped(mark.note))</text>
                """
        }.joined(separator: "\n")
    }

    private func color(of node: String?) -> String { node.flatMap { colors[$0] } ?? "#808080" }

    /// A colour as `#rrggbb`, which all SVG viewers support; many do not support `hsl()`.
    ///
    /// - Parameter hue: in degrees. The other parameters are 0 to 1 (CSS Color Module Level 4, section 7.1).
    static func color(hue: Double, saturation: Double, lightness: Double) -> String {
        func channel(_ offset: Double) -> String {
            let k = (offset + hue / 30).truncatingRemainder(dividingBy: 12)
            let value = lightness - saturation * min(lightness, 1 - lightness) * max(-1, min(k - 3, 9 - k, 1))
            let digits = String(Int((value * 255).rounded()), radix: 16)
            return digits.count < 2 ? "0" + digits : digits
        }
        return "#" + channel(0) + channel(8) + channel(4)
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
}
