public import IPNetworks

/// A member of a pool.
public struct PoolMember: Hashable, Sendable {
    /// Index of the node in the model.
    public let node: Int
    /// 1...65,535.
    public let weight: UInt16
    /// Percentage taken off its distance: -99...99. Above 0 it attracts clients.
    public let bias: Int
    /// 0 for the first tier. A later tier is used if no node of the earlier ones is usable.
    public let tier: Int

    public init(node: Int, weight: UInt16, bias: Int = 0, tier: Int = 0) {
        self.node = node
        self.weight = weight
        self.bias = bias
        self.tier = tier
    }
}

/// What counts as a near tie: candidates that are farther than the band's first by at most this much share its band.
///
/// The percentage is of the distance; in the original strategies of the score, in `latency` of the measured time.
public struct Tolerance: Hashable, Sendable {
    public let percent: Int
    /// Ignored if distances are not compared.
    public let kilometres: Int

    public init(percent: Int = 0, kilometres: Int = 0) {
        self.percent = percent
        self.kilometres = kilometres
    }

    /// The largest distance, in metres, that shares the band of a leader at `metres`.
    func reach(_ metres: Double) -> Double {
        max(metres * Double(100 + percent) / 100, metres + Double(kilometres) * 1000)
    }

    var isNone: Bool { percent == 0 && kilometres == 0 }
}

/// What distinguishes one steering table from another. Names with equal keys share a table.
public struct SteeringKey: Hashable, Sendable {
    /// In the pool's order.
    public let members: [PoolMember]
    public let tolerance: Tolerance
    /// The address family that candidates need; `nil`: every member is a candidate.
    public let family: IPFamily?
    public let strategy: Strategy
    /// For the four original strategies.
    public let scoring: OriginalScoring
    public let maximumKilometres: Int?
    public let rules: [GeoRule]
    /// By tier: usable members that it needs to come before later tiers. 1 for tiers beyond the end.
    public let tierMinimum: [Int]
    /// For `Strategy.latency`.
    public let latency: LatencyTable?
    /// Whether the nodes' overlay addresses (inside the private network) are wanted.
    public let overlay: Bool

    /// Leaves out what the strategy does not use, so that names share a table whatever they say about it.
    public init(
        members: [PoolMember], tolerance: Tolerance, family: IPFamily?, strategy: Strategy = .nearest,
        scoring: OriginalScoring = OriginalScoring(), maximumKilometres: Int? = nil, rules: [GeoRule] = [],
        tierMinimum: [Int] = [], latency: LatencyTable? = nil, overlay: Bool = false
    ) {
        self.members =
            strategy == .nearest
            ? members : members.map { PoolMember(node: $0.node, weight: $0.weight, tier: $0.tier) }
        self.tolerance = strategy == .order || strategy == .weighted ? Tolerance() : tolerance
        self.family = family
        self.strategy = strategy
        self.scoring = strategy.isOriginal ? scoring : OriginalScoring()
        self.maximumKilometres = maximumKilometres
        self.rules = rules
        self.tierMinimum = tierMinimum.contains { $0 > 1 } ? tierMinimum : []
        self.latency = strategy == .latency ? latency : nil
        self.overlay = overlay
    }

    /// The key that orders these members. It does not depend on the kind of address.
    func ordering(_ members: [PoolMember]) -> SteeringKey {
        SteeringKey(
            members: members, tolerance: tolerance, family: nil, strategy: strategy, scoring: scoring,
            maximumKilometres: maximumKilometres, rules: rules, tierMinimum: tierMinimum, latency: latency)
    }
}
