public import Access
public import ControlFailures
public import ManagementTypes

/// The operations that tokens give access to. Many requests call them concurrently.
public protocol ReportHandling: Sendable {
    /// Takes a report of a node, by itself or another. Its fields are checked already.
    ///
    /// - Throws: `notFound` for an unknown node, `forbidden` for what the caller may not report.
    func state(
        _ statement: NodeStatement, of id: String, as caller: Caller
    ) async throws(ControlFailure) -> StatementReceipt
    /// Takes what another vantage point sees.
    ///
    /// - Throws: `notFound` for an observer that is not configured, `forbidden` for one that the caller does not speak
    ///   for.
    func take(
        _ verdicts: ObserverVerdicts, from observer: String, as caller: Caller
    ) async throws(ControlFailure) -> VerdictsReceipt
}
