public import Health

extension ProbeReport {
    /// What a report of a node's own comes to, or its absence.
    ///
    /// - Parameter evidence: in the user's words.
    public static func heartbeat(
        of node: String, _ check: Check, passed: Bool, evidence: String, at now: Moment
    ) -> ProbeReport {
        ProbeReport(
            node: node, check: check, outcome: passed ? .passed(evidence) : .failed(evidence), at: now,
            tookMicroseconds: nil)
    }
}
