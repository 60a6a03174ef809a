/// Results on their way to those who judge them, many at once: a hop for each would cost as much as the probe. What passed
/// waits a moment for others; what failed goes at once.
struct ReportBatch {
    /// What passed waits at most so long; nanoseconds.
    static let patience: Int64 = 20_000_000

    private(set) var reports: [ProbeReport] = []
    /// When they must go; `nil`: there are none.
    private(set) var due: Int64?

    mutating func add(_ report: ProbeReport, at now: Int64) {
        reports.append(report)
        let due = report.outcome.result == .passed ? now + Self.patience : now
        self.due = min(self.due ?? due, due)
    }

    mutating func take() -> [ProbeReport] {
        defer {
            reports = []
            due = nil
        }
        return reports
    }
}
