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
    /// This zone with some RRsets changed, one after the other. Takes the time of what changes, and not that of the zone.
    ///
    /// - Returns: the zone, and the names in lower case that have other data, came or went.
    /// - Throws: `ZoneError` for what cannot be in a zone, and for what is changed by loading the zone alone: signed zones, where
    ///   a zone ends (NS below the apex, DNAME, and what lies there), and addresses and aliases at tailored names.
    public func applying(_ changes: [RRsetChange]) throws(ZoneError) -> (zone: Zone, names: Set<[UInt8]>) {
        var batches = try ZoneBatches(self)
        for change in changes {
            do throws(ZoneBatchError) { try batches.apply([change]) } catch { throw error.problems[0].error }
        }
        return batches.finish()
    }
}
