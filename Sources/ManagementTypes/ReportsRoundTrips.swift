public import FoundationEssentials

/// Round-trip times that are learned from connections to this machine's own services: `nearcast rtt`.
public struct RoundTripsReport: Codable, Equatable, Sendable {
    public var learning: LearningReport
    /// Connections that were counted with their times.
    public var counted: UInt64
    /// Connections that closed before a time was known.
    public var unmeasured: UInt64
    /// Connections that were not counted: the map in the kernel was full.
    public var lost: UInt64
    /// Counted connections whose clients have no location that a latency file can name.
    public var unplaced: UInt64
    /// Ordered by place.
    public var places: [PlaceRoundTrip]

    public init(
        learning: LearningReport, counted: UInt64, unmeasured: UInt64, lost: UInt64, unplaced: UInt64,
        places: [PlaceRoundTrip]
    ) {
        self.learning = learning
        self.counted = counted
        self.unmeasured = unmeasured
        self.lost = lost
        self.unplaced = unplaced
        self.places = places
    }
}

/// Where round-trip times are learned, and the file that they go to.
public struct LearningReport: Codable, Equatable, Sendable {
    /// The node that this machine is.
    public var node: String
    public var ports: [UInt16]
    /// The latency file that is written.
    public var file: String
    /// Why nothing is measured or written; absent if all is well.
    public var problem: String?
    /// Places with a time in the file.
    public var published: Int
    /// When the file was last written; absent if this process has not written it yet.
    public var writtenAt: Date?

    public init(
        node: String, ports: [UInt16], file: String, problem: String? = nil, published: Int, writtenAt: Date? = nil
    ) {
        self.node = node
        self.ports = ports
        self.file = file
        self.problem = problem
        self.published = published
        self.writtenAt = writtenAt
    }
}

/// Round-trip times of the clients of one place.
public struct PlaceRoundTrip: Codable, Equatable, Sendable {
    /// As latency files have it: `DE`, `DE-Hesse`, `label:office`.
    public var place: String
    /// Connections, older ones weighted less.
    public var connections: Int
    /// Milliseconds; absent while there are too few connections.
    public var median: Double?
    /// Milliseconds, as the file has it; absent if it has none.
    public var published: Double?

    public init(place: String, connections: Int, median: Double? = nil, published: Double? = nil) {
        self.place = place
        self.connections = connections
        self.median = median
        self.published = published
    }
}
