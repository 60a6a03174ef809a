/// The limits that load and region put on a node's share.
public struct ShareLimits: Hashable, Sendable {
    /// The share that its load allows, in 256ths, 1 to 256.
    public var load: Int
    /// The share that its region allows, in 256ths, 1 to 256.
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

    /// The condition under these limits: the product of all shares, never 0, and degraded if they reduce it.
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

    /// The load limit at which a healthy node has `share` in a region that allows `region`.
    static func load(of share: Int, region: Int) -> Int {
        min((share * HealthState.fullShare + region - 1) / region, HealthState.fullShare)
    }
}
