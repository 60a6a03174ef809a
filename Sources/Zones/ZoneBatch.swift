public import DNSWire

/// Why changes that belong together cannot be made: every one that keeps them from it.
public struct ZoneBatchError: Error, Sendable {
    /// The place of the change among those of the batch.
    public var problems: [(change: Int, error: ZoneError)]

    public init(_ problems: [(change: Int, error: ZoneError)]) { self.problems = problems }
}

/// A zone under changes that come in batches: of each batch all is done, or nothing.
///
/// A batch says what is to be, not in which order: an alias may take the place of addresses, and the other way round.
public struct ZoneBatches {
    private var editor: ZoneEditor

    /// - Throws: for a signed zone, whose signatures would not be right any more.
    public init(_ zone: Zone) throws(ZoneError) { editor = try ZoneEditor(zone) }

    /// The zone as it is now, and the names in lower case that have other data, came or went.
    public func finish() -> (zone: Zone, names: Set<[UInt8]>) {
        var editor = editor
        return (editor.finish(), editor.changed)
    }

    /// Of the SOA.
    public var serial: UInt32 { editor.serial }

    /// The RRsets of a name.
    public func rrsets(of name: DomainName) -> [ZoneRRset] { editor.rrsets(of: name) }

    /// Whether the zone is already as a change wants it.
    public func has(_ change: RRsetChange) -> Bool { editor.has(change) }

    /// - Throws: what `apply` would.
    public func check(_ batch: [RRsetChange]) throws(ZoneBatchError) {
        let problems = editor.problems(of: batch)
        guard problems.isEmpty else { throw ZoneBatchError(problems) }
    }

    /// Makes all changes, of each RRset at most one.
    ///
    /// - Parameter raisesSerial: gives the SOA the next serial (RFC 1982), unless a change is of the SOA.
    /// - Throws: with each change that cannot be made; the zone is as before then.
    public mutating func apply(_ batch: [RRsetChange], raisesSerial: Bool = false) throws(ZoneBatchError) {
        try check(batch)
        for change in batch where change.records.isEmpty { editor.make(change) }
        for change in batch where !change.records.isEmpty { editor.make(change) }
        if raisesSerial, !batch.contains(where: { $0.type == .soa }) { editor.setSerial(editor.serial &+ 1) }
    }

    /// Gives the SOA a serial.
    public mutating func setSerial(_ serial: UInt32) { editor.setSerial(serial) }
}
