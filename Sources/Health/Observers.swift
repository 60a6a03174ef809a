/// What several vantage points see of the same nodes, and what they agree on.
///
/// A node's verdict is what a majority of all points says, those included that say nothing. Without a majority it stays as
/// it was: one point's view alone decides nothing where there is another. A point that sees fewer than half of what the
/// others see is cut off itself, more likely than the nodes are down: its word does not count until it sees them again.
public struct Observers: Sendable {
    public typealias Verdict = CheckRecord.Verdict

    /// What one point saw, and when.
    private struct View: Sendable {
        let verdicts: [String: Verdict]
        let at: Moment
    }

    /// The id of this daemon's own checks.
    public static let own = ""

    /// All points that are counted, this daemon's own among them; ordered.
    public let points: [String]
    /// How long a view is good for, in milliseconds.
    public let freshness: Int64
    private var views: [String: View] = [:]
    private var settled: [String: Verdict] = [:]

    /// - Parameter others: ids of the other vantage points; none: what this daemon sees is agreed.
    public init(others: [String] = [], freshness: Int64 = 30_000) {
        points = [Self.own] + Set(others).subtracting([Self.own]).sorted()
        self.freshness = freshness
    }

    /// Whether there is anybody to agree with.
    public var areSeveral: Bool { points.count > 1 }

    // MARK: - Events

    /// The same with other points: what was seen and agreed by those that stay is kept.
    public mutating func use(others: [String]) {
        var next = Observers(others: others, freshness: freshness)
        if next.areSeveral {
            next.views = views.filter { next.points.contains($0.key) }
            next.settled = settled
        }
        self = next
    }

    /// A node is known from before, or by what it was judged without the others.
    public mutating func assume(_ verdict: Verdict, of node: String) {
        if settled[node] == nil, verdict != .unknown { settled[node] = verdict }
    }

    /// Other nodes are gone.
    public mutating func keep(_ nodes: Set<String>) { settled = settled.filter { nodes.contains($0.key) } }

    /// A point says all that it sees; what it does not name it says nothing of.
    ///
    /// - Returns: whether the point is counted.
    public mutating func take(_ verdicts: [String: Verdict], from point: String, at now: Moment) -> Bool {
        guard points.contains(point) else { return false }
        views[point] = View(verdicts: verdicts.filter { $0.value != .unknown }, at: now)
        return true
    }

    // MARK: - What follows

    /// Points whose word counts at the time.
    public func heard(at now: Moment) -> [String] {
        let fresh = fresh(at: now)
        return points.filter { fresh[$0] != nil && !isCutOff($0, fresh) }
    }

    /// Points that see fewer than half of what the others see.
    public func cutOff(at now: Moment) -> [String] {
        let fresh = fresh(at: now)
        return points.filter { isCutOff($0, fresh) }
    }

    /// Whether enough points are heard for anything to change.
    public func hasQuorum(at now: Moment) -> Bool { isMajority(heard(at: now).count) }

    /// What the points say of a node, for people: by point.
    public func verdicts(of node: String, at now: Moment) -> [String: Verdict] {
        fresh(at: now).compactMapValues { $0.verdicts[node] }
    }

    /// What is agreed of a node; `unknown`: nothing was ever.
    public func agreed(_ node: String) -> Verdict { settled[node] ?? .unknown }

    /// Counts what all points say.
    ///
    /// - Returns: the nodes of which something else is agreed now, ordered by id.
    public mutating func decide(at now: Moment) -> [(node: String, verdict: Verdict)] {
        let fresh = fresh(at: now)
        let counted = fresh.filter { !isCutOff($0.key, fresh) }
        guard isMajority(counted.count) else { return [] }
        var ups: [String: Int] = [:]
        var downs: [String: Int] = [:]
        for view in counted.values {
            for (node, verdict) in view.verdicts {
                if verdict == .up { ups[node, default: 0] += 1 } else { downs[node, default: 0] += 1 }
            }
        }
        var changes: [(node: String, verdict: Verdict)] = []
        for (verdict, votes) in [(Verdict.up, ups), (.down, downs)] {
            for (node, count) in votes where isMajority(count) && settled[node] != verdict {
                settled[node] = verdict
                changes.append((node, verdict))
            }
        }
        return changes.sorted { $0.node < $1.node }
    }

    private func isMajority(_ count: Int) -> Bool { 2 * count > points.count }

    private func fresh(at now: Moment) -> [String: View] { views.filter { now - $0.value.at < freshness } }

    /// Whether a point sees fewer than half of the nodes, among those it looks at, that most of the others see.
    private func isCutOff(_ point: String, _ fresh: [String: View]) -> Bool {
        guard let own = fresh[point] else { return false }
        let others = fresh.filter { $0.key != point }.values
        var (wanted, seen) = (0, 0)
        for (node, verdict) in own.verdicts {
            let said = others.compactMap { $0.verdicts[node] }
            guard 2 * said.count(where: { $0 == .up }) > said.count else { continue }
            wanted += 1
            if verdict == .up { seen += 1 }
        }
        return 2 * seen < wanted
    }
}
