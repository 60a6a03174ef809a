package import Health

/// What several vantage points see, and what they agree on. This daemon's own checks are one of them.
struct ObserverBoard {
    /// What the vantage points agree on about a node.
    struct Decision {
        let node: String
        let verdict: Observers.Verdict?
        /// Whether it was decided now; otherwise it is what the node begins with.
        let isNew: Bool
    }

    private(set) var observers = Observers()
    /// Whether enough vantage points were heard when they were last asked.
    private var hadQuorum = true

    /// Takes what another vantage point sees.
    ///
    /// - Returns: false when there is no such observer.
    mutating func take(_ verdicts: [String: Observers.Verdict], from observer: String, at now: Moment) -> Bool {
        let isKnown = observers.take(verdicts, from: observer, at: now)
        return isKnown && observer != Observers.own
    }

    /// Counts other vantage points from now on.
    ///
    /// - Parameter checked: nodes that are checked. For others nothing is agreed, so that nothing is left over when they
    ///   are checked again.
    mutating func use(others: [String], checked: Set<String>) {
        observers.use(others: others)
        observers.keep(checked)
    }

    /// Enters what this daemon sees, and decides. Without other vantage points there is nothing to decide.
    mutating func consult(_ nodes: [String: NodeHealth], at now: Moment) -> [Decision] {
        guard observers.areSeveral else { return [] }
        var own: [String: Observers.Verdict] = [:]
        var decisions: [Decision] = []
        for (id, health) in nodes where !health.rules.checks.isEmpty {
            own[id] = health.opinion
            guard health.agreed == nil else { continue }
            // What was so before there was another vantage point stays.
            observers.assume(health.verdict, of: id)
            decisions.append(Decision(node: id, verdict: observers.agreed(id), isNew: false))
        }
        _ = observers.take(own, from: Observers.own, at: now)
        return decisions
            + observers.decide(at: now).map { Decision(node: $0.node, verdict: $0.verdict, isNew: true) }
    }

    /// Why a decision was made.
    func evidence(for decision: Decision, at now: Moment) -> String? {
        guard decision.isNew else { return nil }
        let seen = (observers.seen(of: decision.node, at: now) ?? [:]).sorted { $0.key < $1.key }
        return "observers: \(seen.map { "\($0.key) \($0.value)" }.joined(separator: ", "))"
    }

    /// Whether enough vantage points are heard, once for each change.
    mutating func quorumNews(at now: Moment) -> Event.Kind? {
        guard observers.areSeveral, observers.hasQuorum(at: now) != hadQuorum else { return nil }
        hadQuorum.toggle()
        return hadQuorum ? .quorumRegained : .quorumLost(heard: observers.heard(at: now).map(Observers.name))
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
