/// `rtt`: learns round-trip times from connections to this machine's own services.
public struct RoundTripSettings: Sendable {
    /// Id of the node that this machine is.
    public let node: String
    /// 1 to 16 distinct ports.
    public let ports: [UInt16]
    /// The latency file to write. Nothing else may use it.
    public let file: PathSetting
    /// The fewest connections from a place for a time, 1 to 1,000,000.
    public let minimumSamples: Int
    /// Percent by which a time must have moved before the file is written, 0 to 1,000.
    public let marginPercent: Int
    /// The shortest time between two writes of the file, 1 s to a day.
    public let everyMilliseconds: Int
    public let mark: DocumentLocation

    /// Whether the same connections are measured for the same file.
    public func isSameSource(as other: RoundTripSettings) -> Bool {
        node == other.node && ports == other.ports && file.path == other.file.path
    }
}
