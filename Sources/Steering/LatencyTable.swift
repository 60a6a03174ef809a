/// Measured round-trip times between places and nodes.
public struct LatencyTable: Hashable, Sendable {
    /// Place → index of the node in the model → milliseconds.
    public let rows: [GeoRule.Match: [Int: Int]]

    public init(_ rows: [GeoRule.Match: [Int: Int]]) { self.rows = rows }
}
