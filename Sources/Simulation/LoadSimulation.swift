public import Health

/// How loads settle after nodes fail. It uses the daemon's own rules, and feeds them with the loads that result from
/// the shares.
///
/// The load of a node is the weight of the clients it serves. Clients follow a change of shares within the settling
/// time of the rules.
public struct LoadSimulation: Sendable {
    /// Which nodes serve which clients at one point of the simulation.
    public struct Stage: Sendable {
        public let spread: Spread
        /// In 256ths, by node; nodes that are absent have their full share.
        public let shares: [String: Int]
    }

    /// The parameters besides the scenario.
    public struct Settings: Sendable {
        /// Nodes that fail.
        public let down: Set<String>
        /// By node. ``LoadRules/capacity`` is in any unit, which must be the same for all nodes, or absent for all.
        public let rules: [String: LoadRules]
        public let regions: [Region]
        /// The percentage of total capacity that the clients use before the failure, 1 to 100.
        public let use: Int

        public init(down: Set<String>, rules: [String: LoadRules], regions: [Region], use: Int) {
            self.down = down
            self.rules = rules
            self.regions = regions
            self.use = use
        }
    }

    /// By node, in the unit of the clients' weight. If a node's rules give no capacity, it is the node's own load
    /// before the failure, but at least a tenth of the average.
    public let capacities: [String: Double]
    /// Before the failure.
    public let before: Stage
    /// The nodes are down, and their clients use the next nodes.
    public let plain: Stage
    /// Regions have lowered shares; no node has reported its load yet.
    public let regional: Stage
    /// Shares no longer change, or the limit of ``rounds`` was reached.
    public let settled: Stage
    /// Number of settling times that passed.
    public let rounds: Int

    public static let maximumRounds = 400
    /// Maximum number of client groups in each round, approximately. They are sampled in proportion to their weight.
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

    /// Load divided by capacity of a node, at least 0; `nil` if the node does not exist.
    public func use(of id: String, _ stage: Stage) -> Double? {
        capacities[id].map { Double(stage.spread.nodes[id]?.weight ?? 0) / $0 }
    }

    /// The node with the greatest load divided by capacity.
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
    /// The health of the nodes, on a simulated clock.
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
                // The simulation dictates that the node is down, whatever the limits of its pools.
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

        /// Lets one settling time pass, after which each node reports its load.
        mutating func pass(loads: [String: Double]) {
            now = now + step
            for id in fleet.nodes.keys {
                LoadSample(load: loads[id] ?? 0, capacity: capacities[id], at: now).map { fleet.take($0, of: id) }
            }
            _ = fleet.advance(to: now)
        }
    }
}
