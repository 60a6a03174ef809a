package import ControlFailures
package import Health
import HealthChecks
import Logging
import Steering

/// What other vantage points see.
extension NodeController {
    /// Takes what another vantage point sees.
    ///
    /// - Returns: how many verdicts are of nodes that are checked here, and the others' ids.
    /// - Throws: `notFound` where no such observer is configured.
    package func take(
        _ verdicts: [String: Observers.Verdict], from observer: String
    ) throws(ControlFailure) -> (counted: Int, isHeard: Bool, freshness: Int64, ignored: [String]) {
        try life.requireNodeChanges()
        let now = Moment.now
        let counted = verdicts.filter { fleet.nodes[$0.key]?.rules.checks.isEmpty == false }
        let isCounted = observers.take(counted, from: observer, at: now)
        guard isCounted, observer != Observers.own else {
            throw ControlFailure(
                .notFound, "there is no observer \"\(observer)\"", remedy: "add it to health.observers")
        }
        consult()
        write()
        publishSoon()
        return (
            counted.count, observers.heard(at: now).contains(observer), observers.freshness,
            verdicts.keys.filter { counted[$0] == nil }
        )
    }

    /// Counts others from now on.
    func use(observers others: [String]) {
        observers.use(others: others)
        // What is not checked is not agreed on: what was is of no use when it is checked again.
        observers.keep(Set(fleet.nodes.filter { !$0.value.rules.checks.isEmpty }.keys))
        if !observers.areSeveral {
            let now = Moment.now
            for (id, health) in fleet.nodes where health.agreed != nil {
                apply(fleet.agree(on: nil, of: id, at: now).map { [$0] } ?? [])
            }
        }
        consult()
    }

    /// Says what this daemon sees, and takes over what is agreed. Where there is nobody else it decides alone, at once.
    func consult() {
        guard observers.areSeveral else { return }
        let now = Moment.now
        var own: [String: Observers.Verdict] = [:]
        for (id, health) in fleet.nodes where !health.rules.checks.isEmpty {
            own[id] = health.opinion
            guard health.agreed == nil else { continue }
            // What was so before there was anybody to agree with stays.
            observers.assume(health.verdict, of: id)
            apply(fleet.agree(on: observers.agreed(id), of: id, at: now).map { [$0] } ?? [])
        }
        _ = observers.take(own, from: Observers.own, at: now)
        for (node, verdict) in observers.decide(at: now) {
            guard let effect = fleet.agree(on: verdict, of: node, at: now) else { continue }
            let said = (observers.seen(of: node, at: now) ?? [:]).sorted { $0.key < $1.key }.map {
                "\($0.key) \($0.value)"
            }
            apply([effect], evidence: "observers: \(said.joined(separator: ", "))")
        }
        announceQuorum(at: now)
    }

    private func announceQuorum(at now: Moment) {
        let hasQuorum = observers.hasQuorum(at: now)
        guard hasQuorum != hadQuorum else { return }
        hadQuorum = hasQuorum
        events.append(
            hasQuorum
                ? .quorumRegained : .quorumLost(heard: observers.heard(at: now).map(Observers.name)))
    }
}

extension Observers {
    /// Of a vantage point, for people.
    package static func name(_ point: String) -> String { point == own ? "own" : point }

    /// What each vantage point sees of a node, by name; `nil` where this daemon alone decides.
    package func seen(of node: String, at now: Moment) -> [String: String]? {
        guard areSeveral else { return nil }
        let verdicts = verdicts(of: node, at: now)
        return Dictionary(uniqueKeysWithValues: points.map { (Self.name($0), verdicts[$0]?.rawValue ?? "silent") })
    }
}
