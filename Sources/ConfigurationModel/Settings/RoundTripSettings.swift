/// `rtt`: round-trip times that are learned from connections to this machine's own services.
public struct RoundTripSettings: Sendable {
    /// Id of the node that this machine is.
    public let node: String
    /// 1 to 16, no two alike.
    public let ports: [UInt16]
    /// The latency file that is written; no other's.
    public let file: PathSetting
    /// Connections of a place that a time is made of, 1 to 1,000,000.
    public let minimumSamples: Int
    /// Percent of a time by which it must have moved before the file is written, 0 to 1,000.
    public let marginPercent: Int
    /// The least time between two writings of the file, 1 s to a day.
    public let everyMilliseconds: Int
    public let mark: DocumentLocation

    /// Whether the same connections are measured, for the same file.
    public func isSameSource(as other: RoundTripSettings) -> Bool {
        node == other.node && ports == other.ports && file.path == other.file.path
    }
}
