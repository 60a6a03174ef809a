/// A node's change of state: what the store keeps, and what every reader of the events sees.
public struct NodeTransition: Hashable, Sendable, Codable {
    /// Above that of every event before, of this process and of earlier ones. Numbers may be missing.
    public var sequence: UInt64
    /// Microseconds since 1970, UTC.
    public var time: Int64
    public var node: String
    /// States, cause and authority are words of the writer; the store does not interpret them.
    public var from: String
    public var to: String
    public var cause: String
    public var authority: String
    public var evidence: String?
    public var author: String?
    /// Epoch of the model in use.
    public var epoch: UInt64
    /// The family that changed, such as `IPv6`. `nil`: the whole node.
    public var family: String?

    public init(
        sequence: UInt64, time: Int64, node: String, from: String, to: String, cause: String, authority: String,
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

/// The persistent state of a node.
public struct KeptNode: Hashable, Sendable {
    /// Index of its word.
    public var slot: Int
    /// The verdict of its checks. `nil` if it has none.
    public var verdict: String?
    /// Microseconds since 1970, UTC. `nil`: its state has never changed.
    public var changedAt: Int64?
    /// The note of the claim that holds.
    public var setBy: String?
    public var claims: [KeptClaim]

    public init(
        slot: Int, verdict: String? = nil, changedAt: Int64? = nil, setBy: String? = nil, claims: [KeptClaim] = []
    ) {
        self.slot = slot
        self.verdict = verdict
        self.changedAt = changedAt
        self.setBy = setBy
        self.claims = claims
    }
}

/// An override of a node's state, permanent or temporary.
public struct KeptClaim: Hashable, Sendable {
    public var authority: String
    public var state: String
    /// In 256ths.
    public var share: Int
    /// Microseconds since 1970, UTC. `nil`: at once.
    public var begins: Int64?
    /// The same. `nil`: never.
    public var ends: Int64?
    /// Whether it may leave a pool without a usable node.
    public var isForced: Bool
    /// Whether it has taken effect, if it has a beginning.
    public var hasBegun: Bool
    public var author: String

    public init(
        authority: String, state: String, share: Int, begins: Int64? = nil, ends: Int64? = nil, isForced: Bool = false,
        hasBegun: Bool = false, author: String
    ) {
        self.authority = authority
        self.state = state
        self.share = share
        self.begins = begins
        self.ends = ends
        self.isForced = isForced
        self.hasBegun = hasBegun
        self.author = author
    }
}

/// Why the journal cannot be used or written, as a message for the operator.
public struct JournalProblem: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String

    public init(_ description: String) { self.description = description }
}
