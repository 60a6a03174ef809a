/// An RRset that was changed by itself, and what it is since, as the journal keeps it.
public struct KeptRRset: Hashable, Sendable {
    /// Seconds.
    public var ttl: UInt32
    /// RDATA, each behind its length in two bytes; empty: there is no such RRset.
    public var records: [UInt8]
    /// Microseconds since 1970, UTC.
    public var time: Int64
    public var author: String?

    public init(ttl: UInt32, records: [UInt8], time: Int64, author: String? = nil) {
        (self.ttl, self.records, self.time, self.author) = (ttl, records, time, author)
    }
}

/// Which RRset. Names are wire forms in lower case; the journal does not judge them.
public struct KeptRRsetKey: Hashable, Sendable {
    public var zone: [UInt8]
    public var owner: [UInt8]
    public var type: UInt16

    public init(zone: [UInt8], owner: [UInt8], type: UInt16) {
        (self.zone, self.owner, self.type) = (zone, owner, type)
    }
}

/// All RRsets that were changed by themselves, with the serials that their zones have since.
public struct KeptRRsets: Hashable, Sendable {
    public var sets: [KeptRRsetKey: KeptRRset] = [:]
    public var serials: [[UInt8]: UInt32] = [:]

    public init() {}
}

/// What is to be kept from now on, all or nothing; `nil` is kept no longer.
public struct KeptRRsetsChange: Sendable {
    public var sets: [KeptRRsetKey: KeptRRset?] = [:]
    public var serials: [[UInt8]: UInt32?] = [:]

    public init() {}

    /// Keeps all of `kept`.
    package init(_ kept: KeptRRsets) {
        sets = kept.sets.mapValues { $0 }
        serials = kept.serials.mapValues { $0 }
    }

    public var isEmpty: Bool { sets.isEmpty && serials.isEmpty }

    public mutating func formUnion(_ later: KeptRRsetsChange) {
        sets.merge(later.sets) { $1 }
        serials.merge(later.serials) { $1 }
    }
}
