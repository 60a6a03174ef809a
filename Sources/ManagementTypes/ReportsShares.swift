/// The factors of a node's share, which is their product and never 0.
public struct NodeSharesReport: Codable, Equatable, Sendable {
    /// From checks, slow start and claims, 0…256.
    public var health: Int
    /// From its load, 1…256.
    public var load: Int
    /// From its region, 1…256.
    public var region: Int
    /// Load in percent of the capacity, as it was reported last; absent before the first report.
    public var use: Double?
    /// Percent of the capacity above which clients are shed; absent if the load does not count.
    public var shedAbove: Int?
    /// Absent if it is in no region.
    public var regionID: String?

    public init(
        health: Int, load: Int, region: Int, use: Double? = nil, shedAbove: Int? = nil, regionID: String? = nil
    ) {
        self.health = health
        self.load = load
        self.region = region
        self.use = use
        self.shedAbove = shedAbove
        self.regionID = regionID
    }
}

/// A set of nodes that stand in for each other, and its health.
public struct RegionReport: Codable, Equatable, Sendable {
    public var id: String
    public var nodes: Int
    /// Part of its capacity that is healthy, 0…1.
    public var healthy: Double
    /// Percent of the capacity that its clients need.
    public var threshold: Int
    /// The share of clients that its nodes keep, 1…256; below 256 the region is degraded.
    public var share: Int

    public init(id: String, nodes: Int, healthy: Double, threshold: Int, share: Int) {
        self.id = id
        self.nodes = nodes
        self.healthy = healthy
        self.threshold = threshold
        self.share = share
    }
}
