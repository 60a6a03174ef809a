/// What one probe came to.
public struct ProbeOutcome: Hashable, Sendable {
    public enum Result: String, Hashable, Sendable {
        case passed, failed
        /// This machine could not ask. That says nothing of the node.
        case unasked
    }

    public let result: Result
    /// What was seen, in the user's words.
    public let evidence: String

    package static func passed(_ evidence: String) -> ProbeOutcome { ProbeOutcome(result: .passed, evidence: evidence) }
    package static func failed(_ evidence: String) -> ProbeOutcome { ProbeOutcome(result: .failed, evidence: evidence) }
    package static func unasked(_ evidence: String) -> ProbeOutcome {
        ProbeOutcome(result: .unasked, evidence: evidence)
    }

    /// Nothing was heard within the timeout. If that comes up later by more than another timeout, this machine was too busy,
    /// and an answer may have been there in time.
    static func silence(timeoutMilliseconds: Int64, lateNanoseconds: Int64) -> ProbeOutcome {
        lateNanoseconds > timeoutMilliseconds * 1_000_000
            ? .unasked("this machine was too busy to hear the answer in time")
            : .failed("no answer within \(timeoutMilliseconds) ms")
    }
}
