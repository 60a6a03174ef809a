/// What came of asking once.
public struct ProbeOutcome: Hashable, Sendable {
    public enum Result: String, Hashable, Sendable {
        case passed, failed
        /// This machine could not ask, which says nothing of the node.
        case unasked
    }

    public let result: Result
    /// What was seen, in the user's words.
    public let evidence: String

    static func passed(_ evidence: String) -> ProbeOutcome { ProbeOutcome(result: .passed, evidence: evidence) }
    static func failed(_ evidence: String) -> ProbeOutcome { ProbeOutcome(result: .failed, evidence: evidence) }
    static func unasked(_ evidence: String) -> ProbeOutcome { ProbeOutcome(result: .unasked, evidence: evidence) }
}
