public import Access
public import ControlFailures
public import ManagementTypes

/// What the daemon does for those who report: all that tokens are for. Called by many requests at once.
public protocol ReportHandling: Sendable {
    /// What a node says of itself, or another of it; the statement is sound in itself.
    ///
    /// - Throws: `notFound` for an unknown node, `forbidden` for what the speaker may not say.
    func state(
        _ statement: NodeStatement, of id: String, as speaker: Speaker
    ) async throws(ControlFailure) -> StatementReceipt
    /// What another vantage point sees.
    ///
    /// - Throws: `notFound` for one that is not counted, `forbidden` for what the speaker may not say.
    func take(
        _ verdicts: ObserverVerdicts, from observer: String, as speaker: Speaker
    ) async throws(ControlFailure) -> VerdictsReceipt
}
