/// All nodes, and the rules that span several: mass-failure protection, and pools that operators must not empty.
public struct Fleet: Sendable {
    /// The effect of an event on one node. Its word must now hold `condition`.
    public struct Effect: Hashable, Sendable {
        public let node: String
        public let condition: NodeCondition
        /// `nil`: only share or TTL have changed.
        public let transition: Transition?
    }

    /// A set of nodes that serve the same names.
    public struct Pool: Hashable, Sendable {
        public let id: String
        public let nodes: [String]

        public init(id: String, nodes: [String]) {
            self.id = id
            self.nodes = nodes
        }
    }

    /// A change would leave pools without a usable node.
    public struct LastOfPools: Error, Hashable {
        public let pools: [String]

        public init(pools: [String]) { self.pools = pools }
    }

    public private(set) var nodes: [String: NodeHealth] = [:]
    /// Nodes whose persistent state has changed since the last ``takeUnkept()``.
    var unkept: Set<String> = []
    public private(set) var pools: [Pool] = []
    public var brake: Brake
    /// Nodes whose state depends on time.
    private(set) var inMotion: Set<String> = []
    /// Nodes that their checks took out within the hold of mass-failure protection, each once, the earliest first.
    private var falls: [(node: String, at: Moment)] = []
    private var checked = 0
    /// Indices of the pools of each node.
    private var poolsOf: [String: [Int]] = [:]
    public internal(set) var regions: [Region] = []
    /// One per region, once time has passed.
    public internal(set) var standings: [Region.Standing] = []
    /// Loads of the nodes that have load rules.
    public internal(set) var loads: [String: LoadShare] = [:]
    /// Index of the region of each node.
    var regionOf: [String: Int] = [:]

    public init(brake: Brake = Brake()) { self.brake = brake }

    // MARK: - Who there is

    /// Adds a node, or restores one that is already known.
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

    /// The checks of a known node have changed.
    public mutating func use(_ rules: HealthRules, for id: String, at now: Moment) -> Effect? {
        guard let before = nodes[id] else { return nil }
        checked += (rules.checks.isEmpty ? 0 : 1) - (before.rules.checks.isEmpty ? 0 : 1)
        return change(id, at: now) { $0.use(rules, at: now) }
    }

    // MARK: - Events

    /// A check of a node has a result. Results of checks that its rules no longer contain are ignored.
    public mutating func take(passed: Bool, of check: Check, of id: String, at now: Moment) -> Effect? {
        guard let index = nodes[id]?.rules.checks.firstIndex(of: check) else { return nil }
        let (brake, mayFall) = (brake, mayFall(id, at: now))
        return change(id, at: now) {
            $0.take(passed: passed, check: index, at: now, brake: brake, mayFall: mayFall)
        }
    }

    /// - Throws: when it takes out the last usable node of a pool and `force` is not given. Nothing has changed then.
    public mutating func make(
        _ claim: Claim, of id: String, force: Bool, at now: Moment
    ) throws(LastOfPools) -> Effect? {
        try make(claim, of: [id], force: force, at: now).first
    }

    public mutating func withdraw(_ authority: Authority, of id: String, at now: Moment) -> Effect? {
        change(id, at: now) { $0.withdraw(authority, at: now) }
    }

    /// Advances time for every node that depends on it, then updates shares from load and regions. The result may name
    /// a node twice.
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

    /// Failing nodes that mass-failure protection keeps in rotation, ordered by id.
    public var held: [String] { inMotion.filter { nodes[$0]?.heldSince != nil }.sorted() }

    public func usable(in pool: Pool) -> Int {
        pool.nodes.count { nodes[$0]?.condition.state.isUsable ?? false }
    }

    /// The pools of a node, for example to see whether it was the last usable one.
    public func pools(of id: String) -> [Pool] { (poolsOf[id] ?? []).map { pools[$0] } }

    /// Pools that contain one of the nodes, each once.
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
        // A node that fails again is not counted twice.
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
        // Nodes under an override count too: their failure is just as much a sign.
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
