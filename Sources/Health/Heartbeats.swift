/// Tracks the last report of each node that sends reports, and finds the ones that are overdue.
///
/// Time in which the daemon did not listen does not count: after a stop or a takeover no node is blamed for the gap.
public struct Heartbeats: Sendable {
    private struct Line: Sendable {
        let check: Check
        /// The last report, or the last time that one was missing.
        var since: Moment
    }

    /// A gap between two polls longer than this, in milliseconds, means that the daemon was not listening.
    static let longestLook: Int64 = 2_000

    private var lines: [String: Line] = [:]
    private var lastLook: Moment?

    public init() {}

    /// The nodes that are to report from now on, with the check of each. Nodes already tracked keep their time.
    public mutating func use(_ checks: [String: Check], at now: Moment) {
        lines = Dictionary(
            uniqueKeysWithValues: checks.map { node, check in
                (node, Line(check: check, since: lines[node]?.since ?? now))
            })
    }

    /// A node has reported.
    ///
    /// - Returns: the check that passes by it. `nil`: no report is expected from this node.
    public mutating func hear(_ node: String, at now: Moment) -> Check? {
        guard let check = lines[node]?.check else { return nil }
        lines[node]?.since = now
        return check
    }

    /// The check of a node that is to report.
    public func check(of node: String) -> Check? { lines[node]?.check }

    /// Nodes with one more overdue report, ordered by id. Call it a few times a second.
    public mutating func missing(at now: Moment) -> [(node: String, check: Check)] {
        let gap = lastLook.map { now - $0 } ?? 0
        lastLook = now
        var missing: [(node: String, check: Check)] = []
        for (node, line) in lines {
            let since = gap > Self.longestLook ? min(line.since + gap, now) : line.since
            let isMissing = now - since >= line.check.intervalMilliseconds
            if isMissing { missing.append((node, line.check)) }
            lines[node]?.since = isMissing ? now : since
        }
        return missing.sorted { $0.node < $1.node }
    }
}
