public import Health

/// What one probe found, and of which check.
public struct ProbeReport: Sendable {
    public let node: String
    public let check: Check
    public let outcome: ProbeOutcome
    /// When it was known.
    public let at: Moment
    /// `nil` where nothing was asked.
    public let tookMicroseconds: Int64?
}
