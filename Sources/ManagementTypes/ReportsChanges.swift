public import FoundationEssentials

/// What is planned: `nearcast plan`.
public struct PlanOrder: Codable, Equatable, Sendable {
    public var reason: String?
    /// Who asks for it, besides the account.
    public var author: String?

    public init(reason: String? = nil, author: String? = nil) { (self.reason, self.author) = (reason, author) }
}

/// What is applied: `nearcast apply`.
public struct ApplyOrder: Codable, Equatable, Sendable {
    /// Names of guards that are accepted.
    public var accept: [String]?
    public var author: String?

    public init(accept: [String]? = nil, author: String? = nil) { (self.accept, self.author) = (accept, author) }
}

/// A planned change, and what became of it: `nearcast plan`, `nearcast apply`, `nearcast changes`.
public struct ChangeReport: Codable, Equatable, Sendable {
    public var number: UInt64
    public var state: State
    public var plannedAt: Date
    /// The account that planned it, with what it said of itself.
    public var author: String
    public var reason: String?
    public var closedAt: Date?
    public var closedBy: String?
    /// The guards that it trips.
    public var guards: [Guard]
    /// The guards that were accepted when it was applied.
    public var accepted: [String]?
    /// The epoch that serves it, once it is applied.
    public var epoch: UInt64?
    /// Absent in lists.
    public var plan: Plan?
    /// What applying it did, in the answer to that.
    public var reload: ReloadReport?

    public enum State: String, Codable, Sendable, CaseIterable {
        case planned
        case applying
        case applied
        /// What is served, or the files, changed since it was planned.
        case stale
        case withdrawn
    }

    /// A measure of the change that has to be accepted by name.
    public struct Guard: Codable, Equatable, Sendable {
        public var name: String
        /// What was measured.
        public var measure: String

        public init(name: String, measure: String) { (self.name, self.measure) = (name, measure) }
    }

    /// What the change does.
    public struct Plan: Codable, Equatable, Sendable {
        public var changes: ReloadPreview
        /// Of the tailored names that it touches.
        public var effect: [Effect]
        /// What may differ and is not measured: tailored records of other types, and names in views.
        public var unmeasured: [String]
        /// Nodes that get other addresses.
        public var readdressed: [String]
        /// Computing the effect, in seconds.
        public var effectSeconds: Double

        public init(
            changes: ReloadPreview, effect: [Effect], unmeasured: [String], readdressed: [String], effectSeconds: Double
        ) {
            (self.changes, self.effect, self.unmeasured) = (changes, effect, unmeasured)
            (self.readdressed, self.effectSeconds) = (readdressed, effectSeconds)
        }
    }

    /// The effect on names that agree in everything that decides. Shares are parts of all clients, 0...1.
    public struct Effect: Codable, Equatable, Sendable {
        /// The first ten.
        public var names: [String]
        /// How many names there are.
        public var count: Int
        /// `A`, for all IPv4 addresses, or `AAAA`, for all IPv6 networks.
        public var type: String
        /// How many clients there are.
        public var clients: UInt64
        /// Those that get another node, or none.
        public var moved: Double
        /// Those that lose their answer.
        public var cut: Double
        /// The largest share first.
        public var nodes: [Node]
        /// Kilometres from clients to their node.
        public var before: Distance
        public var after: Distance
        /// The largest first, 1,000 at most.
        public var moves: [Move]

        public init(
            names: [String], count: Int, type: String, clients: UInt64, moved: Double, cut: Double, nodes: [Node],
            before: Distance, after: Distance, moves: [Move]
        ) {
            (self.names, self.count, self.type, self.clients) = (names, count, type, clients)
            (self.moved, self.cut, self.nodes) = (moved, cut, nodes)
            (self.before, self.after, self.moves) = (before, after, moves)
        }
    }

    /// The clients of a node, or of a policy's fallback address.
    public struct Node: Codable, Equatable, Sendable {
        public var node: String
        public var before: Double
        public var after: Double

        public init(node: String, before: Double, after: Double) {
            (self.node, self.before, self.after) = (node, before, after)
        }
    }

    /// In kilometres; absent where no client's place is known.
    public struct Distance: Codable, Equatable, Sendable {
        public var mean: Double?
        /// 95 of 100 are not farther, rounded up to 10.
        public var p95: Double?

        public init(mean: Double?, p95: Double?) { (self.mean, self.p95) = (mean, p95) }
    }

    /// Clients that change from one node to another; an absent node: no answer.
    public struct Move: Codable, Equatable, Sendable {
        public var from: String?
        public var to: String?
        public var share: Double

        public init(from: String?, to: String?, share: Double) {
            (self.from, self.to, self.share) = (from, to, share)
        }
    }

    public init(
        number: UInt64, state: State, plannedAt: Date, author: String, reason: String?, closedAt: Date?,
        closedBy: String?, guards: [Guard], accepted: [String]?, epoch: UInt64?, plan: Plan? = nil,
        reload: ReloadReport? = nil
    ) {
        (self.number, self.state, self.plannedAt) = (number, state, plannedAt)
        (self.author, self.reason, self.closedAt, self.closedBy) = (author, reason, closedAt, closedBy)
        (self.guards, self.accepted, self.epoch) = (guards, accepted, epoch)
        (self.plan, self.reload) = (plan, reload)
    }
}
