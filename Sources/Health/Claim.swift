/// Who says what a node's state is: of those who say something the highest is believed.
public enum Authority: UInt8, Comparable, Sendable, CaseIterable {
    /// The node itself.
    case report
    /// The daemon's own checks.
    case checks
    /// A check that runs elsewhere.
    case external
    /// A program that acts for people.
    case automation
    case person

    public static func < (left: Authority, right: Authority) -> Bool { left.rawValue < right.rawValue }
}

/// That a node is in a state, whatever lower authorities say, for good or for a time.
public struct Claim: Hashable, Sendable {
    public let authority: Authority
    /// Not `unknown`.
    public let state: HealthState
    /// In 256ths, 1 to 256; of states `up` and `degraded` only.
    public let share: Int
    /// `nil`: at once. One that begins later is a window: there may be many, and a claim without beginning is above them.
    public let begins: Moment?
    /// `nil`: until it is withdrawn.
    public let ends: Moment?
    /// Who made it, and why.
    public let author: String
    /// Of a window: whether it begins though it leaves a pool without a usable node.
    public let isForced: Bool
    /// Of a window: whether it has taken effect, which may be later than its beginning.
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

    /// Whether it takes a node out that works.
    public var isLeave: Bool { state == .drained || state == .maintenance }

    func isActive(at now: Moment) -> Bool { (hasBegun || !isWindow) && !isOver(at: now) }

    /// Whether it is a window whose time has come, and that has not taken effect.
    func isDue(at now: Moment) -> Bool {
        guard let begins, !hasBegun else { return false }
        return begins <= now && !isOver(at: now)
    }

    /// Whether it stands at a time to come, as far as that can be said now.
    func isPlanned(at time: Moment) -> Bool { (begins.map { $0 <= time } ?? true) && !isOver(at: time) }

    func isOver(at now: Moment) -> Bool { ends.map { now >= $0 } ?? false }

    /// Whether it is believed before `other`.
    func isAbove(_ other: Claim) -> Bool {
        authority != other.authority ? authority > other.authority : !isWindow && other.isWindow
    }
}
