/// One decision among the members of a pool.
public struct ChoiceReport: Codable, Equatable, Sendable {
    /// What is chosen: `IPv4 addresses`, `IPv6 addresses`, `hosts` or `services`.
    public var subject: String
    /// Number of the steering table; absent for services, which are the same for every client.
    public var table: Int?
    /// `nearest`, `linear`, …; absent for services.
    public var strategy: String?
    /// Whether the members are those of a fallback pool.
    public var isFallback: Bool
    /// Filters that were dropped because they left no node, as text; absent if none was.
    public var relaxed: String?
    /// Tiers that need more than one usable node, as text; absent if none does.
    public var minimums: [String]?
    /// The outcome, as text.
    public var outcome: String
    /// In the order of selection, then those that are not eligible.
    public var candidates: [CandidateReport]

    public init(
        subject: String, table: Int? = nil, strategy: String? = nil, isFallback: Bool = false, relaxed: String? = nil,
        minimums: [String]? = nil, outcome: String, candidates: [CandidateReport]
    ) {
        self.subject = subject
        self.table = table
        self.strategy = strategy
        self.isFallback = isFallback
        self.relaxed = relaxed
        self.minimums = minimums
        self.outcome = outcome
        self.candidates = candidates
    }
}

/// One node, for one client.
public struct CandidateReport: Codable, Equatable, Sendable {
    public var node: String
    public var region: String?
    /// Absent if the client's location is unknown.
    public var distanceKm: Double?
    /// Per cent, −99…99; absent for 0.
    public var bias: Int?
    /// 0…1; only of the original strategies.
    public var score: Double?
    /// Measured; only of the strategy `latency`.
    public var milliseconds: Int?
    /// Within the pool, from 0; absent if all are of tier 0.
    public var tier: Int?
    /// Rank of its band, from 0; absent when not eligible.
    public var band: Int?
    public var weight: Int
    public var state: NodeState
    /// 0…256.
    public var share: Int
    /// Hash of client, name and node in hexadecimal, which orders a band by weights; absent where nothing is hashed.
    public var hash: String?
    /// Its lowest byte, 0…255: the node takes clients whose draw is below its share.
    public var draw: Int?
    public var eligible: Bool
    public var chosen: Bool
    /// Why it is eligible or not.
    public var reason: String

    public init(
        node: String, region: String? = nil, distanceKm: Double? = nil, bias: Int? = nil, score: Double? = nil,
        milliseconds: Int? = nil, tier: Int? = nil, band: Int? = nil, weight: Int, state: NodeState, share: Int,
        hash: String? = nil, draw: Int? = nil, eligible: Bool, chosen: Bool, reason: String
    ) {
        self.node = node
        self.region = region
        self.distanceKm = distanceKm
        self.bias = bias
        self.score = score
        self.milliseconds = milliseconds
        self.tier = tier
        self.band = band
        self.weight = weight
        self.state = state
        self.share = share
        self.hash = hash
        self.draw = draw
        self.eligible = eligible
        self.chosen = chosen
        self.reason = reason
    }
}
