import Resolution

/// Which nodes serve which clients, in one scenario or before and after a change.
public struct Simulation: Sendable {
    /// From one node to another; nil: no answer.
    public struct Move: Hashable, Sendable {
        public let from: String?
        public let to: String?
    }

    public private(set) var before = Spread()
    public private(set) var after: Spread?
    /// Weight of the clients that another node serves after the change.
    public private(set) var moves: [Move: UInt64] = [:]
    public private(set) var picture = Picture()
    /// Number of client groups.
    public private(set) var groups = 0

    public var moved: UInt64 { moves.values.reduce(0, +) }

    /// Simulates all clients in one scenario, or in two. Blocks are those of the first scenario's location table.
    ///
    /// - Parameter progress: called from time to time with 0...1.
    public init(_ clients: Clients, before: Scenario, after: Scenario? = nil, progress: (Double) -> Void = { _ in }) {
        if after != nil { self.after = Spread() }
        clients.forEach(in: before.model.location) { group, done in
            let first = before.outcome(for: group)
            self.before.add(first, weight: group.weight)
            var last = first
            if let after {
                last = after.outcome(for: group)
                self.after?.add(last, weight: group.weight)
                if last.node != first.node { moves[Move(from: first.node, to: last.node), default: 0] += group.weight }
            }
            picture.add(last.coordinates, node: last.node, weight: group.weight)
            groups += 1
            if groups % 65536 == 0 { progress(done) }
        }
    }
}
