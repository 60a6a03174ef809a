public import DNSWire

/// An RRset that takes the place of the one of its owner and type, if there is one. Without records there is none afterwards.
public struct RRsetChange: Sendable {
    public var owner: DomainName
    public var type: RecordType
    /// Seconds.
    public var ttl: UInt32
    /// RDATA without compression.
    public var records: [[UInt8]]

    public init(owner: DomainName, type: RecordType, ttl: UInt32 = 0, records: [[UInt8]] = []) {
        (self.owner, self.type, self.ttl, self.records) = (owner, type, ttl, records)
    }
}

extension Zone {
    /// This zone with some RRsets changed: the first of two changes of one RRset is of no effect. Takes the time of a copy of the
    /// zone's arrays, however many are changed, and not that of building it.
    ///
    /// - Returns: the zone, and the names in lower case that have other data, came or went.
    /// - Throws: `ZoneError` for what cannot be in a zone, and for what is changed by loading the zone alone: signed zones, where
    ///   a zone ends (NS below the apex, DNAME, and what lies there), and addresses and aliases at tailored names.
    public func applying(_ changes: [RRsetChange]) throws(ZoneError) -> (zone: Zone, names: Set<[UInt8]>) {
        var editor = try ZoneEditor(self)
        for change in changes { try editor.apply(change) }
        return (editor.finish(), editor.changed)
    }
}
