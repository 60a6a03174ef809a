public import Health

extension ProbeReport {
    /// The result of a node's own report, or of its absence.
    ///
    /// - Parameter evidence: what was observed, as a message for the operator.
    public static func heartbeat(
        of node: String, _ check: Check, passed: Bool, evidence: String, at now: Moment
    ) -> ProbeReport {
        ProbeReport(
            node: node, check: check, outcome: passed ? .passed(evidence) : .failed(evidence), at: now,
            tookMicroseconds: nil)
    }
}
