public import FoundationEssentials

/// A change of one RRset: `nearcast record history`.
public struct RecordChangeReport: Codable, Equatable, Sendable {
    /// RRsets that one request changed have the same number, which `nearcast record undo` takes.
    public var change: UInt64
    public var time: Date
    public var zone: String
    public var name: String
    /// As in `AAAA`, or `TYPE` and a number.
    public var type: String
    /// Absent: there was no such RRset.
    public var before: RecordContent?
    /// Absent: the RRset was removed.
    public var after: RecordContent?
    /// Of the zone's SOA after the change.
    public var serial: UInt32
    public var author: String?

    public init(
        change: UInt64, time: Date, zone: String, name: String, type: String, before: RecordContent?,
        after: RecordContent?, serial: UInt32, author: String?
    ) {
        (self.change, self.time, self.zone, self.name, self.type) = (change, time, zone, name, type)
        (self.before, self.after, self.serial, self.author) = (before, after, serial, author)
    }
}

/// What an RRset has.
public struct RecordContent: Codable, Equatable, Sendable {
    /// Seconds.
    public var ttl: UInt32
    /// RDATA in zone-file syntax, one text a record.
    public var records: [String]

    public init(ttl: UInt32, records: [String]) { (self.ttl, self.records) = (ttl, records) }
}

/// Which changes of records to list.
public struct RecordHistoryRequest: Equatable, Sendable {
    public var zone: String
    /// Only those of this name; absent: all.
    public var name: String?
    /// Only those of this type; absent: all.
    public var type: String?
    public var limit: Int

    public init(zone: String, name: String? = nil, type: String? = nil, limit: Int = 100) {
        (self.zone, self.name, self.type, self.limit) = (zone, name, type, limit)
    }
}

/// Who undoes a change.
public struct UndoOrder: Codable, Equatable, Sendable {
    /// What the caller says about itself; recorded behind its identity, and proves nothing.
    public var author: String?

    public init(author: String? = nil) { self.author = author }

    private enum CodingKeys: String, CodingKey, CaseIterable { case author }

    public init(from decoder: any Decoder) throws {
        try decoder.requireKnown(CodingKeys.self)
        author = try decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(String.self, forKey: .author)
    }
}
