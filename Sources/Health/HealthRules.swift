/// How a node's state follows from its checks.
public struct HealthRules: Hashable, Sendable {
    /// Empty: the node counts as up.
    public let checks: [Check]
    /// Milliseconds in which the share grows back to full after a recovery. 0: at once.
    public let slowStartMilliseconds: Int64
    /// `nil`: the share does not depend on the load.
    public let load: LoadRules?

    public init(checks: [Check] = [], slowStartMilliseconds: Int64 = 60_000, load: LoadRules? = nil) {
        self.checks = checks
        self.slowStartMilliseconds = slowStartMilliseconds
        self.load = load
    }

    /// A failure this soon after a recovery is a flap, and raises `rise` for as long.
    static let dampingWindow: Int64 = 600_000
    /// `rise` doubles with each flap, at most this many times.
    static let dampingDoublings = 3
}

/// Mass-failure protection: when too many nodes fail at once, they stay in rotation.
public struct Brake: Hashable, Sendable {
    /// Percent of the checked nodes that may fail within `holdMilliseconds`, 1 to 100. 100: protection is off.
    public let percent: Int
    /// How long a further node must fail before it is taken out, unless checks of two kinds fail.
    public let holdMilliseconds: Int64

    public init(percent: Int = 50, holdMilliseconds: Int64 = 60_000) {
        self.percent = percent
        self.holdMilliseconds = holdMilliseconds
    }

    /// - Parameters:
    ///   - fallen: nodes that failed within the hold.
    ///   - checked: nodes that have checks.
    func allows(another fallen: Int, of checked: Int) -> Bool {
        fallen == 0 || (fallen + 1) * 100 <= percent * checked
    }
}
