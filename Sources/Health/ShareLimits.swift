/// What load and region leave a node of the share that checks and claims give it.
public struct ShareLimits: Hashable, Sendable {
    /// What its load leaves it, in 256ths, 1 to 256.
    public var load: Int
    /// What its region leaves it, in 256ths, 1 to 256.
    public var region: Int
    /// Seconds until one of them may change, as ``NodeCondition/ttl``.
    public var ttl: UInt32

    public init(
        load: Int = HealthState.fullShare, region: Int = HealthState.fullShare, ttl: UInt32 = NodeCondition.stable
    ) {
        self.load = load
        self.region = region
        self.ttl = ttl
    }

    public var isWhole: Bool { load == HealthState.fullShare && region == HealthState.fullShare }

    /// The condition as it is under these limits: the product of all shares, never 0, and degraded where they take something.
    func applied(to condition: NodeCondition) -> NodeCondition {
        guard condition.state.isUsable else { return condition }
        var condition = condition
        condition.ttl = min(condition.ttl, ttl)
        guard !isWhole else { return condition }
        let full = HealthState.fullShare
        condition.share = max(1, condition.share * load * region / (full * full))
        condition.state = .degraded
        return condition
    }

    /// What the load must have left it for a whole node to have `share` in a region that leaves it `region`.
    static func load(of share: Int, region: Int) -> Int {
        min((share * HealthState.fullShare + region - 1) / region, HealthState.fullShare)
    }
}
