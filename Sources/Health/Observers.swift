public import IPNetworks

/// What several observers see of the same nodes, and what they agree on.
///
/// A node's verdict is that of a majority of all observers, silent ones included. Without a majority it does not
/// change: no single view decides where there are several. An observer that sees fewer than half of what the others see
/// is more likely cut off itself. Its view does not count until it sees the nodes again.
public struct Observers: Sendable {
    public typealias Verdict = CheckRecord.Verdict

    /// What a verdict is about: a family of a node, or the whole node.
    public struct Subject: Hashable, Comparable, Sendable {
        public let node: String
        public let family: IPFamily?

        public init(_ node: String, _ family: IPFamily? = nil) {
            self.node = node
            self.family = family
        }

        public static func < (left: Subject, right: Subject) -> Bool {
            (left.node, left.family?.rawValue ?? 0) < (right.node, right.family?.rawValue ?? 0)
        }
    }

    /// The view of one observer, and its time.
    private struct View: Sendable {
        let verdicts: [Subject: Verdict]
        let at: Moment
    }

    /// The id of this daemon's own checks.
    public static let own = ""

    /// All configured observers, including this daemon, ordered.
    public let points: [String]
    /// How long a view stays valid, in milliseconds.
    public let freshness: Int64
    private var views: [String: View] = [:]
    private var settled: [Subject: Verdict] = [:]

    /// - Parameter others: ids of the other observers. None: this daemon's view is the verdict.
    public init(others: [String] = [], freshness: Int64 = 30_000) {
        points = [Self.own] + Set(others).subtracting([Self.own]).sorted()
        self.freshness = freshness
    }

    /// Whether there are other observers.
    public var areSeveral: Bool { points.count > 1 }

    // MARK: - Events

    /// Replaces the set of observers. Views and verdicts of those that remain are kept.
    public mutating func use(others: [String]) {
        var next = Observers(others: others, freshness: freshness)
        if next.areSeveral {
            next.views = views.filter { next.points.contains($0.key) }
            next.settled = settled
        }
        self = next
    }

    /// Restores a verdict from an earlier run, or from its time without observers.
    public mutating func assume(_ verdict: Verdict, of subject: Subject) {
        if settled[subject] == nil, verdict != .unknown { settled[subject] = verdict }
    }

    /// Removes all others.
    public mutating func keep(_ subjects: Set<Subject>) { settled = settled.filter { subjects.contains($0.key) } }

    /// Takes the complete view of an observer. It has no opinion on nodes that it does not name.
    ///
    /// - Returns: whether the observer is configured.
    public mutating func take(_ verdicts: [Subject: Verdict], from point: String, at now: Moment) -> Bool {
        guard points.contains(point) else { return false }
        views[point] = View(verdicts: verdicts.filter { $0.value != .unknown }, at: now)
        return true
    }

    // MARK: - What follows

    /// Observers whose view counts at the time.
    public func heard(at now: Moment) -> [String] {
        let fresh = fresh(at: now)
        return points.filter { fresh[$0] != nil && !isCutOff($0, fresh) }
    }

    /// Observers that see fewer than half of what the others see.
    public func cutOff(at now: Moment) -> [String] {
        let fresh = fresh(at: now)
        return points.filter { isCutOff($0, fresh) }
    }

    /// Whether enough observers are heard for a verdict to change.
    public func hasQuorum(at now: Moment) -> Bool { isMajority(heard(at: now).count) }

    /// The observers' views, for display.
    public func verdicts(of subject: Subject, at now: Moment) -> [String: Verdict] {
        fresh(at: now).compactMapValues { $0.verdicts[subject] }
    }

    /// The agreed verdict. `unknown`: there was never one.
    public func agreed(_ subject: Subject) -> Verdict { settled[subject] ?? .unknown }

    /// Counts the views of all observers.
    ///
    /// - Returns: the verdicts that have changed, in order.
    public mutating func decide(at now: Moment) -> [(subject: Subject, verdict: Verdict)] {
        let fresh = fresh(at: now)
        let counted = fresh.filter { !isCutOff($0.key, fresh) }
        guard isMajority(counted.count) else { return [] }
        var ups: [Subject: Int] = [:]
        var downs: [Subject: Int] = [:]
        for view in counted.values {
            for (subject, verdict) in view.verdicts {
                if verdict == .up { ups[subject, default: 0] += 1 } else { downs[subject, default: 0] += 1 }
            }
        }
        var changes: [(subject: Subject, verdict: Verdict)] = []
        for (verdict, votes) in [(Verdict.up, ups), (.down, downs)] {
            for (subject, count) in votes where isMajority(count) && settled[subject] != verdict {
                settled[subject] = verdict
                changes.append((subject, verdict))
            }
        }
        return changes.sorted { $0.subject < $1.subject }
    }

    private func isMajority(_ count: Int) -> Bool { 2 * count > points.count }

    private func fresh(at now: Moment) -> [String: View] { views.filter { now - $0.value.at < freshness } }

    /// Whether an observer sees fewer than half of the nodes and families, among those it watches, that most of the others see.
    private func isCutOff(_ point: String, _ fresh: [String: View]) -> Bool {
        guard let own = fresh[point] else { return false }
        let others = fresh.filter { $0.key != point }.values
        var (wanted, seen) = (0, 0)
        for (subject, verdict) in own.verdicts {
            let said = others.compactMap { $0.verdicts[subject] }
            guard 2 * said.count(where: { $0 == .up }) > said.count else { continue }
            wanted += 1
            if verdict == .up { seen += 1 }
        }
        return 2 * seen < wanted
    }
}
