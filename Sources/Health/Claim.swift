/// The sources of a node's state, in order of precedence: the highest one that has a claim wins.
public enum Authority: UInt8, Comparable, Sendable, CaseIterable {
    /// The node itself.
    case report
    /// The daemon's own checks.
    case checks
    /// A check that runs elsewhere.
    case external
    /// A program that acts for operators.
    case automation
    case person

    public static func < (left: Authority, right: Authority) -> Bool { left.rawValue < right.rawValue }
}

/// An override of a node's state, permanent or temporary. It takes precedence over everything from lower authorities.
public struct Claim: Hashable, Sendable {
    public let authority: Authority
    /// Never `unknown`.
    public let state: HealthState
    /// In 256ths, 1 to 256. Only for states `up` and `degraded`.
    public let share: Int
    /// `nil`: at once. A claim that begins later is a window. A node may have many windows; a claim without a beginning
    /// takes precedence over them.
    public let begins: Moment?
    /// `nil`: until it is withdrawn.
    public let ends: Moment?
    /// Who made it, and why.
    public let author: String
    /// For a window: whether it begins even if it leaves a pool without a usable node.
    public let isForced: Bool
    /// For a window: whether it has taken effect. That may be later than its beginning.
    public internal(set) var hasBegun: Bool

    public init(
        _ authority: Authority, _ state: HealthState, share: Int = HealthState.fullShare, begins: Moment? = nil,
        ends: Moment? = nil, author: String, isForced: Bool = false, hasBegun: Bool = false
    ) {
        self.authority = authority
        self.state = state
        self.share = state.isUsable ? min(max(share, 1), HealthState.fullShare) : 0
        self.begins = begins
        self.ends = ends
        self.author = author
        self.isForced = isForced
        self.hasBegun = hasBegun
    }

    public var isWindow: Bool { begins != nil }

    /// Whether it takes a working node out.
    public var isLeave: Bool { state == .drained || state == .maintenance }

    func isActive(at now: Moment) -> Bool { (hasBegun || !isWindow) && !isOver(at: now) }

    /// Whether it is a window that is due but has not taken effect.
    func isDue(at now: Moment) -> Bool {
        guard let begins, !hasBegun else { return false }
        return begins <= now && !isOver(at: now)
    }

    /// Whether it will hold at a future time, as far as is known now.
    func isPlanned(at time: Moment) -> Bool { (begins.map { $0 <= time } ?? true) && !isOver(at: time) }

    func isOver(at now: Moment) -> Bool { ends.map { now >= $0 } ?? false }

    /// Whether it takes precedence over `other`.
    func isAbove(_ other: Claim) -> Bool {
        authority != other.authority ? authority > other.authority : !isWindow && other.isWindow
    }
}
