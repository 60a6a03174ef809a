/// Reports that go on together: a hop between threads for each would cost as much as the probe. A pass waits a moment for
/// others; anything else goes at once and takes along what waits.
struct ReportBatch {
    /// The longest that a pass waits; nanoseconds.
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
