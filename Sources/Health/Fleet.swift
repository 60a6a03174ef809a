import IPNetworks

/// All nodes, and the rules that span several: mass-failure protection, and pools that operators must not empty.
public struct Fleet: Sendable {
    /// The effect of an event on one node. Its words must now hold `conditions`.
    public struct Effect: Hashable, Sendable {
        public let node: String
        public let conditions: NodeConditions
        /// Empty: only share or TTL have changed. One, unless its families changed differently.
        public let transitions: [Transition]

        public var condition: NodeCondition { conditions.any }
        public var transition: Transition? { transitions.first }
    }

    /// A set of nodes that serve the same names.
    public struct Pool: Hashable, Sendable {
        public let id: String
        public let nodes: [String]
        /// Whether some name is answered from it. Other pools may be empty.
        public let isServed: Bool

        public init(id: String, nodes: [String], isServed: Bool = true) {
            self.id = id
            self.nodes = nodes
            self.isServed = isServed
        }
    }

    /// A change would leave pools without a usable node.
    public struct LastOfPools: Error, Hashable {
        /// Each with the family, if the pool has usable nodes of the other one.
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
    /// Families of nodes that their checks took out within the hold of mass-failure protection, each once, the earliest
    /// first.
    private var falls: [(node: String, family: IPFamily?, at: Moment)] = []
    private var checked = CheckedNodes()
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
        checked.add(node.rules)
        keep(id, node)
    }

    public mutating func remove(_ id: String) {
        guard let node = nodes.removeValue(forKey: id) else { return }
        checked.remove(node.rules)
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
        checked.remove(before.rules)
        checked.add(rules)
        return change(id, at: now) { $0.use(rules, at: now) }
    }

    // MARK: - Events

    /// A check of a node has a result. Results of checks that its rules no longer contain are ignored.
    public mutating func take(_ result: CheckResult, of check: Check, of id: String, at now: Moment) -> Effect? {
        guard let index = nodes[id]?.rules.checks.firstIndex(of: check) else { return nil }
        let (brake, mayFall) = (brake, mayFall(id, at: now))
        return change(id, at: now) {
            $0.take(result, check: index, at: now, brake: brake, mayFall: mayFall)
        }
    }

    /// - Throws: when it takes out the last usable node of a pool and `force` is not given. Nothing has changed then.
    public mutating func make(
        _ claim: Claim, of id: String, force: Bool, at now: Moment
    ) throws(LastOfPools) -> Effect? {
        try make(claim, of: [id], force: force, at: now).first
    }

    /// - Parameter author: who does it, and why.
    public mutating func withdraw(
        _ authority: Authority, of id: String, author: String? = nil, at now: Moment
    ) -> Effect? {
        change(id, at: now) { $0.withdraw(authority, author: author, at: now) }
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

    /// The pools of a node, for example to see whether it was the last usable one.
    public func pools(of id: String) -> [Pool] { (poolsOf[id] ?? []).map { pools[$0] } }

    /// Pools that contain one of the nodes, each once.
    public func pools(of ids: [String]) -> [Pool] {
        Set(ids.flatMap { poolsOf[$0] ?? [] }).sorted().map { pools[$0] }
    }

    /// What mass-failure protection allows each family of a node.
    mutating func mayFall(_ id: String, at now: Moment) -> FallPermits {
        prune(now)
        guard !falls.isEmpty, let node = nodes[id] else { return true }
        func permit(_ family: IPFamily?) -> Bool {
            // Nothing else is judged, so nothing else asks.
            guard node.families.contains(where: { $0.family == family }) else { return true }
            // A node that fails again is not counted twice.
            let others = falls.filter {
                $0.node != id && (family == nil || $0.family == nil || $0.family == family)
            }
            let count = family == nil ? Set(others.map(\.node)).count : others.count
            return brake.allows(another: count, of: checked.count(of: family))
        }
        return FallPermits(any: permit(nil), v4: permit(.v4), v6: permit(.v6))
    }

    private mutating func prune(_ now: Moment) {
        let old = falls.prefix { now - $0.at >= brake.holdMilliseconds }.count
        if old > 0 { falls.removeFirst(old) }
    }

    mutating func change(
        _ id: String, at now: Moment, _ event: (inout NodeHealth) -> [Transition]
    ) -> Effect? {
        guard var node = nodes[id] else { return nil }
        let before = node
        let transitions = event(&node)
        keep(id, node)
        let isOther = node.claims != before.claims || node.families.map(\.verdict) != before.families.map(\.verdict)
        if isOther { unkept.insert(id) }
        // Nodes under an override count too: their failure is just as much a sign.
        for family in node.families where family.verdict == .down {
            guard before.health(of: family.family).verdict == .up else { continue }
            falls.removeAll { $0.node == id && $0.family == family.family }
            falls.append((id, family.family, now))
        }
        let conditions = node.conditions
        guard conditions != before.conditions || !transitions.isEmpty else { return nil }
        return Effect(node: id, conditions: conditions, transitions: transitions)
    }

    private mutating func keep(_ id: String, _ node: NodeHealth) {
        nodes[id] = node
        if node.isInMotion { inMotion.insert(id) } else { inMotion.remove(id) }
    }
}

/// How many nodes have checks.
private struct CheckedNodes: Sendable {
    private var all = 0
    private var v4 = 0
    private var v6 = 0

    mutating func add(_ rules: HealthRules) { change(rules, by: 1) }
    mutating func remove(_ rules: HealthRules) { change(rules, by: -1) }

    private mutating func change(_ rules: HealthRules, by one: Int) {
        guard !rules.checks.isEmpty else { return }
        let judged = rules.judged
        all += one
        if judged.contains(.v4) || judged.contains(nil) { v4 += one }
        if judged.contains(.v6) || judged.contains(nil) { v6 += one }
    }

    /// Nodes whose checks decide the family.
    func count(of family: IPFamily?) -> Int {
        switch family {
        case .v4: v4
        case .v6: v6
        case nil: all
        }
    }
}
