public import IPNetworks

/// A member of a pool.
public struct PoolMember: Hashable, Sendable {
    /// Index of the node in the model.
    public let node: Int
    /// 1...65,535.
    public let weight: UInt16
    /// Per cent of its distance that is taken off: -99...99; what is above 0 draws clients nearer.
    public let bias: Int
    /// 0 for those who are asked first; a later tier stands in when nobody of the earlier ones is usable.
    public let tier: Int

    public init(node: Int, weight: UInt16, bias: Int = 0, tier: Int = 0) {
        self.node = node
        self.weight = weight
        self.bias = bias
        self.tier = tier
    }
}

/// What near ties are: candidates not farther than the band's first by so much share its band.
///
/// Percent are those of the distance, of the score in the original strategies, of the measured time in `latency`.
public struct Tolerance: Hashable, Sendable {
    public let percent: Int
    /// Of no meaning where distances are not compared.
    public let kilometres: Int

    public init(percent: Int = 0, kilometres: Int = 0) {
        self.percent = percent
        self.kilometres = kilometres
    }

    /// Largest distance, in metres, that shares the band of a leader at `metres`.
    func reach(_ metres: Double) -> Double {
        max(metres * Double(100 + percent) / 100, metres + Double(kilometres) * 1000)
    }

    var isNone: Bool { percent == 0 && kilometres == 0 }
}

/// What distinguishes one steering table from another; names that agree in it share a table.
public struct SteeringKey: Hashable, Sendable {
    /// In the pool's order.
    public let members: [PoolMember]
    public let tolerance: Tolerance
    /// Which addresses candidates must have; `nil`: every member is one.
    public let family: IPFamily?
    public let strategy: Strategy
    /// Of the four original strategies.
    public let scoring: OriginalScoring
    public let maximumKilometres: Int?
    public let rules: [GeoRule]
    /// Usable members that a tier must have to come before later ones, by tier; 1 for those beyond the end.
    public let tierMinimum: [Int]
    /// Of `Strategy.latency`.
    public let latency: LatencyTable?
    /// Whether the nodes' addresses inside the overlay network are asked for.
    public let overlay: Bool

    /// What the strategy does not look at is left out, so that names share a table whatever they say of it.
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

    /// What orders these of the members, whichever of their addresses are asked for.
    func ordering(_ members: [PoolMember]) -> SteeringKey {
        SteeringKey(
            members: members, tolerance: tolerance, family: nil, strategy: strategy, scoring: scoring,
            maximumKilometres: maximumKilometres, rules: rules, tierMinimum: tierMinimum, latency: latency)
    }
}
