/// A record change: the current content of a changed RRset, as the journal keeps it.
public struct KeptRRset: Hashable, Sendable {
    /// Seconds.
    public var ttl: UInt32
    /// RDATA, each prefixed with its length in two bytes. Empty: the RRset was removed.
    public var records: [UInt8]
    /// Microseconds since 1970, UTC.
    public var time: Int64
    public var author: String?
    /// Whether these are addresses of an alias's target, not what a caller set.
    public var isOfAlias: Bool
    /// When the last answer that had these addresses ends, in microseconds since 1970. `nil`: not known.
    public var answerEnds: Int64?

    public init(
        ttl: UInt32, records: [UInt8], time: Int64, author: String? = nil, isOfAlias: Bool = false,
        answerEnds: Int64? = nil
    ) {
        (self.ttl, self.records, self.time, self.author) = (ttl, records, time, author)
        (self.isOfAlias, self.answerEnds) = (isOfAlias, answerEnds)
    }
}

/// Identifies an RRset. Names are in lower-case wire form. The journal does not interpret them.
public struct KeptRRsetKey: Hashable, Sendable {
    public var zone: [UInt8]
    public var owner: [UInt8]
    public var type: UInt16

    public init(zone: [UInt8], owner: [UInt8], type: UInt16) {
        (self.zone, self.owner, self.type) = (zone, owner, type)
    }
}

/// All record changes, with the current serials of their zones.
public struct KeptRRsets: Hashable, Sendable {
    public var sets: [KeptRRsetKey: KeptRRset] = [:]
    public var serials: [[UInt8]: UInt32] = [:]

    public init() {}
}

/// Changes to keep, all or nothing. `nil` deletes.
public struct KeptRRsetsChange: Sendable {
    public var sets: [KeptRRsetKey: KeptRRset?] = [:]
    public var serials: [[UInt8]: UInt32?] = [:]
    /// What the history gets.
    public var history: [KeptRecordChange] = []
    /// Numbers of changes that the history loses, because they were taken back before any packet saw them.
    public var struck: Set<UInt64> = []

    public init() {}

    /// Keeps everything in `kept`.
    package init(_ kept: KeptRRsets) {
        sets = kept.sets.mapValues { $0 }
        serials = kept.serials.mapValues { $0 }
    }

    public var isEmpty: Bool { sets.isEmpty && serials.isEmpty && history.isEmpty && struck.isEmpty }
}
