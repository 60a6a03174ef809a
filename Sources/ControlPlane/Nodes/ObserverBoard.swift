package import Health
import IPNetworks
import Steering

/// What several vantage points see, and what they agree on. This daemon's own checks are one of them.
struct ObserverBoard {
    /// What the vantage points agree on about a node or one of its families.
    struct Decision {
        let subject: Observers.Subject
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
    mutating func take(_ verdicts: [Observers.Subject: Observers.Verdict], from observer: String, at now: Moment)
        -> Bool
    {
        let isKnown = observers.take(verdicts, from: observer, at: now)
        return isKnown && observer != Observers.own
    }

    /// What is checked of these nodes: each family that is judged by itself, else the node.
    static func subjects(of nodes: [String: NodeHealth]) -> Set<Observers.Subject> {
        Set(
            nodes.filter { !$0.value.rules.checks.isEmpty }.flatMap { id, health in
                health.families.map { Observers.Subject(id, $0.family) }
            })
    }

    /// What an observer says, as it is counted here: a verdict on a node is one on each of its families, and a verdict on
    /// a family is one on a node that is judged as a whole, if the observer gives no better one.
    static func views(
        _ verdicts: [Observers.Subject: Observers.Verdict], of nodes: [String: NodeHealth]
    ) -> [Observers.Subject: Observers.Verdict] {
        var views: [Observers.Subject: Observers.Verdict] = [:]
        let judged = Set(verdicts.keys.map(\.node))
        for subject in subjects(of: nodes.filter { judged.contains($0.key) }) {
            let said = ([subject.family] + IPFamily.answered).compactMap {
                verdicts[Observers.Subject(subject.node, $0)]
            }
            let isWhole = subject.family == nil
            views[subject] =
                isWhole
                ? (said.contains(.up) ? .up : said.first)
                : verdicts[subject] ?? verdicts[Observers.Subject(subject.node)]
        }
        return views
    }

    /// Counts other vantage points from now on.
    ///
    /// - Parameter checked: what is checked. For others nothing is agreed, so that nothing is left over when they are
    ///   checked again.
    mutating func use(others: [String], checked: Set<Observers.Subject>) {
        observers.use(others: others)
        observers.keep(checked)
    }

    /// Enters what this daemon sees, and decides. Without other vantage points there is nothing to decide.
    mutating func consult(_ nodes: [String: NodeHealth], at now: Moment) -> [Decision] {
        guard observers.areSeveral else { return [] }
        var own: [Observers.Subject: Observers.Verdict] = [:]
        var decisions: [Decision] = []
        for (id, health) in nodes where !health.rules.checks.isEmpty {
            for family in health.families {
                let subject = Observers.Subject(id, family.family)
                own[subject] = health.opinion(of: family.family)
                guard family.agreed == nil else { continue }
                // What was so before there was another vantage point stays.
                observers.assume(family.verdict, of: subject)
                decisions.append(Decision(subject: subject, verdict: observers.agreed(subject), isNew: false))
            }
        }
        _ = observers.take(own, from: Observers.own, at: now)
        return decisions
            + observers.decide(at: now).map { Decision(subject: $0.subject, verdict: $0.verdict, isNew: true) }
    }

    /// Why a decision was made.
    func evidence(for decision: Decision, at now: Moment) -> String? {
        guard decision.isNew else { return nil }
        let seen = (observers.seen(of: decision.subject, at: now) ?? [:]).sorted { $0.key < $1.key }
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
    package func seen(of subject: Subject, at now: Moment) -> [String: String]? {
        guard areSeveral else { return nil }
        let verdicts = verdicts(of: subject, at: now)
        return Dictionary(uniqueKeysWithValues: points.map { (Self.name($0), verdicts[$0]?.rawValue ?? "silent") })
    }
}
