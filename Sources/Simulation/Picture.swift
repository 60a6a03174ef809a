import Location

/// Where clients are, and which node serves most of them, in cells of half a degree.
public struct Picture: Sendable {
    static let columns = 720
    static let rows = 360

    /// A cell of the map.
    struct Cell: Sendable {
        let column: Int
        let row: Int
        /// Id of the node that serves most clients; nil if most get no answer.
        let node: String?
        let weight: UInt64
    }

    private var weights: [Int: [String?: UInt64]] = [:]

    mutating func add(_ coordinates: Coordinates?, node: String?, weight: UInt64) {
        guard let coordinates else { return }
        // The edges, 180° and -90°, belong to the last cells.
        let column = min((Int(coordinates.longitude) + 180_000_000) / 500_000, Self.columns - 1)
        let row = min((90_000_000 - Int(coordinates.latitude)) / 500_000, Self.rows - 1)
        weights[row * Self.columns + column, default: [:]][node, default: 0] += weight
    }

    /// In row-major order.
    var cells: [Cell] {
        weights.sorted { $0.key < $1.key }.map { number, shares in
            // Ties go by id, so that the same input gives the same picture.
            let most = shares.max { ($0.value, $1.key ?? "") < ($1.value, $0.key ?? "") }
            return Cell(
                column: number % Self.columns, row: number / Self.columns, node: most?.key,
                weight: shares.values.reduce(0, +))
        }
    }
}
