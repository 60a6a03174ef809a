import Health

/// Batches reports: a hop between threads for each would cost as much as the probe. A pass waits briefly for others.
/// Anything else goes at once and takes the waiting reports along.
struct ReportBatch {
    /// The longest time a pass waits, in nanoseconds.
    static let patience: Int64 = 20_000_000

    private(set) var reports: [ProbeReport] = []
    /// When the batch must be delivered. `nil`: it is empty.
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
