public import Health

/// How loads settle after nodes fail: by the daemon's own rules, fed with the loads that the shares bring about.
///
/// Clients are the load: a node's load is the weight of those that it serves. They follow a change of shares within the time
/// that the rules leave them to settle.
public struct LoadSimulation: Sendable {
    /// Who serves whom at one point of the story.
    public struct Stage: Sendable {
        public let spread: Spread
        /// In 256ths, by node; what is not there is whole.
        public let shares: [String: Int]
    }

    /// What is simulated besides the scenario.
    public struct Settings: Sendable {
        /// Nodes that fail.
        public let down: Set<String>
        /// By node; ``LoadRules/capacity`` in any unit that they have in common, or in none.
        public let rules: [String: LoadRules]
        public let regions: [Region]
        /// Percent of all capacity that the clients take before the failure, 1 to 100.
        public let use: Int

        public init(down: Set<String>, rules: [String: LoadRules], regions: [Region], use: Int) {
            self.down = down
            self.rules = rules
            self.regions = regions
            self.use = use
        }
    }

    /// In the unit of the clients' weight, by node. Where the rules of a node name none each is as large as its own clients
    /// make it, and a tenth of the average at least.
    public let capacities: [String: Double]
    /// Nobody has failed.
    public let before: Stage
    /// The nodes are down, and their clients with the next nodes.
    public let plain: Stage
    /// Regions have lowered shares, and nobody has told of his load yet.
    public let regional: Stage
    /// No share changes any more, or ``rounds`` is at its limit.
    public let settled: Stage
    /// Times to settle that passed.
    public let rounds: Int

    public static let maximumRounds = 400
    /// Clients that are answered in each round, at most about so many groups of them, drawn in proportion to their weight.
    private static let sampleSize: UInt64 = 150_000

    public init(
        _ clients: Clients, _ scenario: Scenario, _ settings: Settings, progress: (Double) -> Void = { _ in }
    ) {
        let down = scenario.with(down: settings.down)
        var spreads = clients.spreads([scenario, down]) { progress($0 * 0.4) }
        let ids = scenario.nodeIDs
        capacities = Self.capacities(spreads[0], ids, settings)
        before = Stage(spread: spreads[0], shares: [:])
        plain = Stage(spread: spreads[1], shares: [:])

        var world = World(ids, settings, capacities)
        let regional = world.shares
        let sample = clients.sample(in: scenario, of: Self.sampleSize, weight: before.spread.weight)
        var rounds = 0
        while rounds < Self.maximumRounds {
            let shares = world.shares
            let now = scenario.with(down: settings.down, shares: shares)
            world.pass(loads: Clients.groups(sample).spreads([now])[0].nodes.mapValues { Double($0.weight) })
            rounds += 1
            if world.isAtRest { break }
            progress(0.4 + 0.2 * Double(rounds) / Double(Self.maximumRounds))
        }
        self.rounds = rounds
        let settled = world.shares
        spreads = clients.spreads([
            scenario.with(down: settings.down, shares: regional), scenario.with(down: settings.down, shares: settled),
        ]) { progress(0.6 + $0 * 0.4) }
        self.regional = Stage(spread: spreads[0], shares: regional)
        self.settled = Stage(spread: spreads[1], shares: settled)
    }

    /// Load by capacity of a node, 0 and more; `nil`: no such node.
    public func use(of id: String, _ stage: Stage) -> Double? {
        capacities[id].map { Double(stage.spread.nodes[id]?.weight ?? 0) / $0 }
    }

    /// The node with the most load by its capacity.
    public func largest(_ stage: Stage) -> (node: String, use: Double)? {
        // Ties go by id.
        let uses = capacities.keys.sorted().compactMap { id in use(of: id, stage).map { (node: id, use: $0) } }
        return uses.max { $0.use < $1.use }
    }

    private static func capacities(_ spread: Spread, _ ids: [String], _ settings: Settings) -> [String: Double] {
        let part = Double(settings.use) / 100
        let known = ids.compactMap { id in settings.rules[id]?.capacity.map { (id, $0) } }
        let weight = Double(spread.weight - spread.unanswered)
        if known.count == ids.count {
            let all = known.reduce(0) { $0 + $1.1 }
            return Dictionary(uniqueKeysWithValues: known.map { ($0, $1 / all * weight / part) })
        }
        let least = weight / Double(max(1, ids.count)) / 10
        return Dictionary(
            uniqueKeysWithValues: ids.map { ($0, max(Double(spread.nodes[$0]?.weight ?? 0), least, 1) / part) })
    }
}

extension LoadSimulation {
    /// The nodes' health, in a time of its own.
    private struct World {
        private var fleet = Fleet(brake: Brake(percent: 100))
        private let capacities: [String: Double]
        private var now = Moment(milliseconds: 0)
        private let step: Int64

        init(_ ids: [String], _ settings: Settings, _ capacities: [String: Double]) {
            self.capacities = capacities
            step = settings.rules.values.map(\.settleMilliseconds).max() ?? LoadRules().settleMilliseconds
            for id in ids {
                let rules = settings.rules[id].map {
                    LoadRules(
                        shedAbove: $0.shedAbove, backBelow: $0.backBelow, step: $0.step,
                        settleMilliseconds: $0.settleMilliseconds)
                }
                fleet.add(id, NodeHealth(HealthRules(load: rules), at: now))
                let claim = Claim(.person, .down, author: "")
                // Down is a fact, which no pool forbids.
                if settings.down.contains(id) { _ = try? fleet.make(claim, of: id, force: true, at: now) }
            }
            fleet.use(settings.regions)
            _ = fleet.advance(to: now)
        }

        var shares: [String: Int] {
            fleet.nodes.compactMapValues { $0.condition.state == .degraded ? $0.condition.share : nil }
        }

        /// Whether no node's share is about to change.
        var isAtRest: Bool { fleet.nodes.values.allSatisfy { $0.limits.ttl == NodeCondition.stable } }

        /// A time to settle passes, at the end of which each node tells of its load.
        mutating func pass(loads: [String: Double]) {
            now = now + step
            for id in fleet.nodes.keys {
                LoadSample(load: loads[id] ?? 0, capacity: capacities[id], at: now).map { fleet.take($0, of: id) }
            }
            _ = fleet.advance(to: now)
        }
    }
}
