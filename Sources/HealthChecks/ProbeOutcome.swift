public import Health

/// The outcome of one probe.
public struct ProbeOutcome: Hashable, Sendable {
    public let result: CheckResult
    /// What was observed, as a message for the operator.
    public private(set) var evidence: String
    /// When the certificate expires that the probe saw, in seconds since 1970.
    public internal(set) var certificateExpiry: Int64?

    package static func passed(_ evidence: String) -> ProbeOutcome { ProbeOutcome(result: .passed, evidence: evidence) }
    package static func failed(_ evidence: String) -> ProbeOutcome { ProbeOutcome(result: .failed, evidence: evidence) }
    package static func refused(_ evidence: String) -> ProbeOutcome {
        ProbeOutcome(result: .refused, evidence: evidence)
    }
    package static func unasked(_ evidence: String) -> ProbeOutcome {
        ProbeOutcome(result: .unasked, evidence: evidence)
    }

    /// The same with more evidence.
    func adding(_ words: String) -> ProbeOutcome {
        var outcome = self
        outcome.evidence += words
        return outcome
    }

    /// No answer arrived within the timeout. If the timeout is handled late by more than another timeout, this host was
    /// too busy, and an answer may have arrived in time.
    static func silence(timeoutMilliseconds: Int64, lateNanoseconds: Int64) -> ProbeOutcome {
        lateNanoseconds > timeoutMilliseconds * 1_000_000
            ? .unasked("this host was too busy to read the answer in time")
            : .failed("no answer within \(timeoutMilliseconds) ms")
    }
}
