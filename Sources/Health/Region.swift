/// A named set of nodes that stand in for each other.
///
/// Its threshold says how much of its capacity its clients need. With less of it healthy the region keeps as many clients
/// as that can carry, on every node the same part of those that come; the others go on to their next nodes, one after the
/// other, outside of it in the end. Without that all clients of a node that fails would come down on the next.
public struct Region: Hashable, Sendable {
    public struct Member: Hashable, Sendable {
        public let node: String
        /// Above 0, in a unit that all members have in common.
        public let capacity: Double

        public init(node: String, capacity: Double = 1) {
            self.node = node
            self.capacity = capacity
        }
    }

    public let id: String
    public let members: [Member]
    /// Percent of the capacity, 1 to 100.
    public let threshold: Int

    public init(id: String, members: [Member], threshold: Int) {
        self.id = id
        self.members = members
        self.threshold = threshold
    }

    /// How a region is.
    public struct Standing: Hashable, Sendable {
        /// Part of the capacity that is healthy, 0...1: a node that comes back counts by its share, one of which nothing is
        /// known as a whole one.
        public let healthy: Double
        /// What each of its nodes keeps of its clients, in 256ths, 1 to 256.
        public let share: Int
        /// Seconds until that may change, as ``NodeCondition/ttl``.
        public let ttl: UInt32

        public var isDegraded: Bool { share < HealthState.fullShare }
    }

    /// - Parameter condition: of a node, before load and regions lower its share; `nil`: there is no such node (any more).
    func standing(_ condition: (String) -> NodeCondition?) -> Standing {
        let full = Double(HealthState.fullShare)
        var (healthy, all, ttl) = (0.0, 0.0, NodeCondition.stable)
        for member in members {
            guard let condition = condition(member.node) else { continue }
            let share = condition.state == .unknown ? HealthState.fullShare : condition.share
            all += member.capacity
            healthy += member.capacity * Double(share) / full
            if share < HealthState.fullShare { ttl = min(ttl, condition.ttl) }
        }
        guard all > 0 else { return Standing(healthy: 1, share: HealthState.fullShare, ttl: ttl) }
        let part = healthy / all
        let share = Int((full * part * 100 / Double(threshold)).rounded(.down))
        return Standing(healthy: part, share: min(max(share, 1), HealthState.fullShare), ttl: ttl)
    }
}
