public import DNSWire

/// The new content of an RRset: it replaces the RRset of its owner and type. No records means that the RRset is
/// removed.
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
    /// This zone with some RRsets changed, one after the other. The cost depends on the changes, not on the size of the
    /// zone.
    ///
    /// - Returns: the zone, and the names in lower case whose data changed, or that were added or removed.
    /// - Throws: `ZoneError` for changes that are not valid in a zone, and for changes that need the whole zone to be
    ///   loaded: in signed zones, at zone cuts and below (NS below the apex, DNAME), and addresses and aliases at
    ///   tailored names.
    public func applying(_ changes: [RRsetChange]) throws(ZoneError) -> (zone: Zone, names: Set<[UInt8]>) {
        var batches = try ZoneBatches(self)
        for change in changes {
            do throws(ZoneBatchError) { try batches.apply([change], raisesSerial: false) } catch {
                throw error.problems[0].error
            }
        }
        return batches.finish()
    }
}
