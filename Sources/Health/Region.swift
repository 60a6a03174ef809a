/// A named set of nodes that back each other up.
///
/// Its threshold is the part of its capacity that its clients need. When less is healthy, the region keeps only as many
/// clients as the healthy part can carry, evenly on every node. The others move on to their next nodes, in the end
/// outside the region. Otherwise all clients of a failed node would load the next one.
public struct Region: Hashable, Sendable {
    public struct Member: Hashable, Sendable {
        public let node: String
        /// Above 0, in a unit that all members share.
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

    /// The status of a region.
    public struct Standing: Hashable, Sendable {
        /// The healthy part of the capacity, 0...1. A recovering node counts by its share, a node in unknown state in
        /// full.
        public let healthy: Double
        /// The part of its clients that each of its nodes keeps, in 256ths, 1 to 256.
        public let share: Int
        /// Seconds until that may change, as ``NodeCondition/ttl``.
        public let ttl: UInt32

        public var isDegraded: Bool { share < HealthState.fullShare }
    }

    /// - Parameter condition: of a node, before load and regions lower its share. `nil`: there is no such node.
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
