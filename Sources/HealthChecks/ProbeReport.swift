public import Health

/// The outcome of one probe, and its check.
public struct ProbeReport: Sendable {
    public let node: String
    public let check: Check
    public let outcome: ProbeOutcome
    /// When the outcome was known.
    public let at: Moment
    /// `nil` if no probe was run.
    public let tookMicroseconds: Int64?
}
