/// All nodes, and what one of them may do only as the others are: the brake on mass failures, and the pools that must
/// not be emptied by hand.
public struct Fleet: Sendable {
    /// What came of an event for one node. Its word must say `condition` now.
    public struct Effect: Hashable, Sendable {
        public let node: String
        public let condition: NodeCondition
        /// `nil`: share or TTL alone have changed.
        public let transition: Transition?
    }

    /// A set of nodes that serve the same thing.
    public struct Pool: Hashable, Sendable {
        public let id: String
        public let nodes: [String]

        public init(id: String, nodes: [String]) {
            self.id = id
            self.nodes = nodes
        }
    }

    /// That a change would leave pools without a usable node.
    public struct LastOfPools: Error, Hashable {
        public let pools: [String]

        public init(pools: [String]) { self.pools = pools }
    }

    public private(set) var nodes: [String: NodeHealth] = [:]
    /// Nodes of which something has changed that is to outlive the process, since it was last asked: ``takeUnkept()``.
    var unkept: Set<String> = []
    public private(set) var pools: [Pool] = []
    public var brake: Brake
    /// Nodes that time alone changes.
    private(set) var inMotion: Set<String> = []
    /// Nodes whose checks took them out not longer ago than the brake's hold, each once; the one that fell longest ago first.
    private var falls: [(node: String, at: Moment)] = []
    private var checked = 0
    /// Indices of the pools that each node is in.
    private var poolsOf: [String: [Int]] = [:]
    public internal(set) var regions: [Region] = []
    /// One for each region, once time has passed.
    public internal(set) var standings: [Region.Standing] = []
    /// Of nodes whose rules say what to do about it.
    public internal(set) var loads: [String: LoadShare] = [:]
    /// Index of the region that each node is in.
    var regionOf: [String: Int] = [:]

    public init(brake: Brake = Brake()) { self.brake = brake }

    // MARK: - Who there is

    /// A node joins, or is what it was when it is known already.
    public mutating func add(_ id: String, _ node: NodeHealth) {
        guard nodes[id] == nil else { return }
        if !node.rules.checks.isEmpty { checked += 1 }
        keep(id, node)
    }

    public mutating func remove(_ id: String) {
        guard let node = nodes.removeValue(forKey: id) else { return }
        if !node.rules.checks.isEmpty { checked -= 1 }
        inMotion.remove(id)
        falls.removeAll { $0.node == id }
        loads[id] = nil
    }

    public mutating func use(_ pools: [Pool]) {
        self.pools = pools
        poolsOf = [:]
        for (index, pool) in pools.enumerated() {
            for node in pool.nodes { poolsOf[node, default: []].append(index) }
        }
    }

    /// A known node is checked in another way.
    public mutating func use(_ rules: HealthRules, for id: String, at now: Moment) -> Effect? {
        guard let before = nodes[id] else { return nil }
        checked += (rules.checks.isEmpty ? 0 : 1) - (before.rules.checks.isEmpty ? 0 : 1)
        return change(id, at: now) { $0.use(rules, at: now) }
    }

    // MARK: - Events

    /// A check of a node has come to a result. Results of checks that are not among its rules are of no use any more.
    public mutating func take(passed: Bool, of check: Check, of id: String, at now: Moment) -> Effect? {
        guard let index = nodes[id]?.rules.checks.firstIndex(of: check) else { return nil }
        let (brake, mayFall) = (brake, mayFall(id, at: now))
        return change(id, at: now) {
            $0.take(passed: passed, check: index, at: now, brake: brake, mayFall: mayFall)
        }
    }

    /// - Throws: when it takes the last usable node of a pool out and `force` is not given; nothing has changed then.
    public mutating func make(
        _ claim: Claim, of id: String, force: Bool, at now: Moment
    ) throws(LastOfPools) -> Effect? {
        try make(claim, of: [id], force: force, at: now).first
    }

    public mutating func withdraw(_ authority: Authority, of id: String, at now: Moment) -> Effect? {
        change(id, at: now) { $0.withdraw(authority, at: now) }
    }

    /// Time passes, for every node that it changes; shares follow load and regions. A node may be told of twice.
    public mutating func advance(to now: Moment) -> [Effect] {
        let moved = inMotion.sorted().compactMap { id in
            let (brake, mayFall, mayLeave) = (brake, mayFall(id, at: now), mayLeave(id, at: now))
            return change(id, at: now) {
                $0.advance(to: now, brake: brake, mayFall: mayFall, mayLeave: mayLeave)
            }
        }
        return moved + level(at: now)
    }

    // MARK: - What follows

    /// Nodes that fail and are not believed yet, ordered by id.
    public var held: [String] { inMotion.filter { nodes[$0]?.heldSince != nil }.sorted() }

    public func usable(in pool: Pool) -> Int {
        pool.nodes.count { nodes[$0]?.condition.state.isUsable ?? false }
    }

    /// Pools that the node is in, for those who want to know whether it was the last.
    public func pools(of id: String) -> [Pool] { (poolsOf[id] ?? []).map { pools[$0] } }

    /// Pools that one of the nodes is in, each once.
    public func pools(of ids: [String]) -> [Pool] {
        Set(ids.flatMap { poolsOf[$0] ?? [] }).sorted().map { pools[$0] }
    }

    /// Ids of the pools whose last usable node it is.
    public func emptied(without id: String) -> [String] {
        guard nodes[id]?.condition.state.isUsable == true else { return [] }
        return pools(of: id).filter { usable(in: $0) == 1 }.map(\.id)
    }

    mutating func mayFall(_ id: String, at now: Moment) -> Bool {
        prune(now)
        // One that falls again is none more.
        let others = falls.count - (falls.contains { $0.node == id } ? 1 : 0)
        return brake.allows(another: others, of: checked)
    }

    private mutating func prune(_ now: Moment) {
        let old = falls.prefix { now - $0.at >= brake.holdMilliseconds }.count
        if old > 0 { falls.removeFirst(old) }
    }

    mutating func change(
        _ id: String, at now: Moment, _ event: (inout NodeHealth) -> Transition?
    ) -> Effect? {
        guard var node = nodes[id] else { return nil }
        let before = (condition: node.condition, verdict: node.verdict, claims: node.claims)
        let transition = event(&node)
        keep(id, node)
        if node.verdict != before.verdict || node.claims != before.claims { unkept.insert(id) }
        // Nodes that a claim keeps out count too: their failure is as much a sign.
        if before.verdict == .up, node.verdict == .down {
            falls.removeAll { $0.node == id }
            falls.append((id, now))
        }
        guard node.condition != before.condition else { return nil }
        return Effect(node: id, condition: node.condition, transition: transition)
    }

    private mutating func keep(_ id: String, _ node: NodeHealth) {
        nodes[id] = node
        if node.isInMotion { inMotion.insert(id) } else { inMotion.remove(id) }
    }
}
