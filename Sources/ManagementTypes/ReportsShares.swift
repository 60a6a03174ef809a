/// What the share of a node is made of: the product of these, never 0.
public struct NodeSharesReport: Codable, Equatable, Sendable {
    /// What checks, slow start and claims give it, 0…256.
    public var health: Int
    /// What its load leaves it, 1…256.
    public var load: Int
    /// What its region leaves it, 1…256.
    public var region: Int
    /// Load in percent of the capacity, as it was reported last; absent before the first report.
    public var use: Double?
    /// Percent of the capacity above which clients are shed; absent where the load has no say.
    public var shedAbove: Int?
    /// Absent where it is in none.
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

/// A set of nodes that stand in for each other, and how it is.
public struct RegionReport: Codable, Equatable, Sendable {
    public var id: String
    public var nodes: Int
    /// Part of its capacity that is healthy, 0…1.
    public var healthy: Double
    /// Percent of the capacity that its clients need.
    public var threshold: Int
    /// What its nodes keep of their clients, 1…256; below 256 the region is degraded.
    public var share: Int

    public init(id: String, nodes: Int, healthy: Double, threshold: Int, share: Int) {
        self.id = id
        self.nodes = nodes
        self.healthy = healthy
        self.threshold = threshold
        self.share = share
    }
}
