/// When each node that reports by itself was last heard, and which have been silent for too long.
///
/// Time in which nobody listened does not count: a process that was stopped, or had handed over, accuses no node of the
/// silence.
public struct Heartbeats: Sendable {
    private struct Line: Sendable {
        let check: Check
        /// The last report, or the last time that one was missing.
        var since: Moment
    }

    /// Milliseconds between two looks beyond which nobody has listened.
    static let longestLook: Int64 = 2_000

    private var lines: [String: Line] = [:]
    private var lastLook: Moment?

    public init() {}

    /// Whom to listen to from now on, and the check of each. Nodes that are heard already have the time they had.
    public mutating func use(_ checks: [String: Check], at now: Moment) {
        lines = Dictionary(
            uniqueKeysWithValues: checks.map { node, check in
                (node, Line(check: check, since: lines[node]?.since ?? now))
            })
    }

    /// A node was heard.
    ///
    /// - Returns: the check that has a result by it; `nil`: nobody waits for this node's reports.
    public mutating func hear(_ node: String, at now: Moment) -> Check? {
        guard let check = lines[node]?.check else { return nil }
        lines[node]?.since = now
        return check
    }

    /// The check of a node that is to report.
    public func check(of node: String) -> Check? { lines[node]?.check }

    /// Nodes whose report is missing once more, ordered by id. To be asked a few times a second.
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
