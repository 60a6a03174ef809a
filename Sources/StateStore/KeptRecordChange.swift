/// A change of one RRset, as the history of records has it.
public struct KeptRecordChange: Hashable, Sendable {
    /// What an RRset has.
    public struct Content: Hashable, Sendable {
        /// Seconds.
        public var ttl: UInt32
        /// As in ``KeptRRset``; at least one.
        public var records: [UInt8]

        public init(ttl: UInt32, records: [UInt8]) { (self.ttl, self.records) = (ttl, records) }
    }

    /// Above the number of every change before. RRsets that one request changed have the same.
    public var number: UInt64
    /// Microseconds since 1970, UTC.
    public var time: Int64
    public var key: KeptRRsetKey
    /// `nil`: there was no such RRset.
    public var before: Content?
    /// `nil`: the RRset was removed.
    public var after: Content?
    /// Of the zone's SOA after the change.
    public var serial: UInt32
    public var author: String?

    public init(
        number: UInt64, time: Int64, key: KeptRRsetKey, before: Content?, after: Content?, serial: UInt32,
        author: String?
    ) {
        (self.number, self.time, self.key, self.before) = (number, time, key, before)
        (self.after, self.serial, self.author) = (after, serial, author)
    }
}

/// Which changes of records to read.
public struct RecordHistoryQuery: Hashable, Sendable {
    /// A zone, in lower-case wire form. `nil`: all.
    public var zone: [UInt8]?
    /// An owner, the same. `nil`: all.
    public var owner: [UInt8]?
    public var type: UInt16?
    /// Only those of this request. `nil`: all.
    public var number: UInt64?
    /// The most to return.
    public var limit: Int

    public init(
        zone: [UInt8]? = nil, owner: [UInt8]? = nil, type: UInt16? = nil, number: UInt64? = nil, limit: Int
    ) {
        (self.zone, self.owner, self.type, self.number, self.limit) = (zone, owner, type, number, limit)
    }

    public func includes(_ change: KeptRecordChange) -> Bool {
        (zone == nil || zone == change.key.zone) && (owner == nil || owner == change.key.owner)
            && (type == nil || type == change.key.type) && (number == nil || number == change.number)
    }
}
