public import FoundationEssentials

/// One check of a node, and its verdict.
public struct NodeCheckReport: Codable, Equatable, Sendable {
    /// As in `tcp 198.51.100.10:443`.
    public var check: String
    /// `unknown`, `up` or `down`.
    public var verdict: String
    /// Results in a row that contradict the verdict.
    public var contrary: Int
    /// Failures in a row that take the node out.
    public var fall: Int
    /// Successes in a row that bring it back, unless it flaps.
    public var rise: Int
    /// What the last result saw; absent before the first.
    public var evidence: String?
    /// `passed`, `failed`, `refused` (a refused connection) or `unasked` (this host could not ask), of the last result.
    public var result: String?
    public var checkedAt: Date?
    public var tookMicroseconds: Double?

    public init(
        check: String, verdict: String, contrary: Int, fall: Int, rise: Int, evidence: String? = nil,
        result: String? = nil, checkedAt: Date? = nil, tookMicroseconds: Double? = nil
    ) {
        self.check = check
        self.verdict = verdict
        self.contrary = contrary
        self.fall = fall
        self.rise = rise
        self.evidence = evidence
        self.result = result
        self.checkedAt = checkedAt
        self.tookMicroseconds = tookMicroseconds
    }
}

/// A scheduled time in which a node is out.
public struct WindowReport: Codable, Equatable, Sendable {
    public var begins: Date
    public var ends: Date
    /// The author, and why.
    public var setBy: String
    /// Whether it should have begun and waits, because it would leave a pool without a usable node; absent: no.
    public var held: Bool?

    public init(begins: Date, ends: Date, setBy: String, held: Bool? = nil) {
        self.begins = begins
        self.ends = ends
        self.setBy = setBy
        self.held = held
    }
}

/// A change of a node's state: a line of the journal.
public struct TransitionReport: Codable, Equatable, Sendable {
    /// Above that of every earlier change of any node, also across restarts. Numbers may be missing after a crash.
    public var sequence: UInt64
    public var time: Date
    public var node: String
    public var from: NodeState
    public var to: NodeState
    /// `first`, `checks`, `claim`, `withdrawal`, `schedule`, `configuration`, `load` or `region`.
    public var cause: String
    /// The authority that decides now: `person`, `automation`, `external`, `checks` or `report`.
    public var authority: String
    /// What the deciding check saw.
    public var evidence: String?
    /// The author of the deciding claim, and why.
    public var author: String?
    /// Number of the model in use.
    public var epoch: UInt64
    /// The family that changed: `IPv4` or `IPv6`; absent: the whole node.
    public var family: String?

    public init(
        sequence: UInt64, time: Date, node: String, from: NodeState, to: NodeState, cause: String, authority: String,
        evidence: String? = nil, author: String? = nil, epoch: UInt64, family: String? = nil
    ) {
        self.sequence = sequence
        self.time = time
        self.node = node
        self.from = from
        self.to = to
        self.cause = cause
        self.authority = authority
        self.evidence = evidence
        self.author = author
        self.epoch = epoch
        self.family = family
    }
}

/// Changes after a point.
public struct TransitionsReport: Codable, Equatable, Sendable {
    /// The number to ask from next.
    public var latest: UInt64
    /// Oldest first; the oldest may be missing if there were more than the daemon keeps in memory.
    public var transitions: [TransitionReport]

    public init(latest: UInt64, transitions: [TransitionReport]) {
        self.latest = latest
        self.transitions = transitions
    }
}
