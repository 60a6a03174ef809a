import Foundation
import Health
import HealthChecks
import StateStore
import Steering

/// What is known of every node: its entry, and its health in the fleet.
struct NodeRoster {
    private(set) var entries: [String: NodeEntry] = [:]
    var fleet = Fleet()

    func has(_ id: String) -> Bool { entries[id] != nil }

    /// Adds a node that is not there yet.
    ///
    /// - Parameters:
    ///   - kept: what the store has of it.
    ///   - words: what an earlier run wrote for it.
    /// - Returns: its first words: what an operator set and the store kept, else what the words of an earlier run say,
    ///   else unknown where something checks it, else up.
    mutating func add(_ node: SteeringNode, _ rules: HealthRules, _ kept: KeptNode?, words: WordsOfNode?)
        -> WordsOfNode
    {
        let known = NodeHealth.Known(kept, earlier: words, isChecked: !rules.checks.isEmpty)
        let health = NodeHealth(rules, known: known, at: .now)
        fleet.add(node.id, health)
        entries[node.id] = NodeEntry(
            node: node, changedAt: kept?.changedAt.map { Date(microseconds: $0) }, setBy: kept?.setBy)
        return health.conditions.words(following: words)
    }

    /// The nodes as the model in use has them.
    mutating func update(_ nodes: [SteeringNode]) {
        for node in nodes { entries[node.id]?.node = node }
    }

    /// Removes all nodes but these.
    ///
    /// - Returns: what is kept of those that were removed.
    mutating func removeAll(but named: Set<String>) -> [String: KeptNode] {
        var removed: [String: KeptNode] = [:]
        for id in entries.keys.filter({ !named.contains($0) }) {
            removed[id] = kept(id)
            entries[id] = nil
            fleet.remove(id)
        }
        return removed
    }

    /// Judges a node by these rules from now on.
    mutating func use(_ rules: HealthRules, for id: String) -> (isChanged: Bool, effect: Fleet.Effect?) {
        let isChanged = fleet.nodes[id]?.rules != rules
        let effect = fleet.use(rules, for: id, at: .now)
        if let results = entries[id]?.results {
            entries[id]?.results = results.filter { rules.checks.contains($0.key) }
        }
        return (isChanged, effect)
    }

    /// Takes what a check saw.
    mutating func take(_ report: ProbeReport) -> Fleet.Effect? {
        entries[report.node]?.results[report.check] = report
        return fleet.take(report.outcome.result, of: report.check, of: report.node, at: report.at)
    }

    /// Takes what a node reports of its load. Shares follow with the next tick.
    mutating func take(_ metrics: NodeMetrics, of id: String) {
        guard entries[id] != nil else { return }
        entries[id]?.reported = metrics
        LoadSample(metrics).map { fleet.take($0, of: id) }
    }

    /// An order of an operator was made.
    mutating func note(_ order: NodeOrder, of ids: [String]) {
        let (now, time) = (Moment.now, Date())
        for id in ids {
            if let claim = fleet.nodes[id]?.claim(at: now) { entries[id]?.setBy = claim.author }
            if order.claim?.isWindow != true { entries[id]?.changedAt = time }
        }
    }

    /// Why the checks changed a family's state at a time when none of them had a result.
    func evidence(of transition: Transition, of id: String) -> String? {
        guard transition.cause == .checks || transition.cause == .first, let health = fleet.nodes[id] else {
            return nil
        }
        let isFall = transition.to == .down
        let told = zip(health.rules.checks, health.records).compactMap { check, record -> String? in
            guard transition.family == nil || check.family == nil || check.family == transition.family,
                record.verdict == (isFall ? .down : .up), let last = entries[id]?.results[check]
            else { return nil }
            return "\(check): \(last.outcome.evidence)"
        }
        return told.first.map { isFall ? "mass-failure protection let it go: \($0)" : $0 }
    }

    /// Notes a change of state.
    ///
    /// - Returns: what is kept of the node from then on; `nil`: there is no such node.
    mutating func note(_ transition: Transition, of id: String, at time: Date) -> KeptNode? {
        guard var entry = entries[id] else { return nil }
        (entry.changedAt, entry.setBy) = (time, transition.author)
        entries[id] = entry
        return kept(id)
    }

    /// What the store is to keep of a node; `nil`: there is no such node.
    func kept(_ id: String) -> KeptNode? {
        entries[id].map {
            KeptNode(slot: $0.node.slot, changedAt: $0.changedAt, fleet.nodes[id], setBy: $0.setBy)
        }
    }
}
