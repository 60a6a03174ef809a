public import DNSWire

/// Why a batch of changes was rejected: every change that prevents it.
public struct ZoneBatchError: Error, Sendable {
    /// Indices of changes in the batch, each with its error.
    public var problems: [(change: Int, error: ZoneError)]

    public init(_ problems: [(change: Int, error: ZoneError)]) { self.problems = problems }
}

/// A zone that is changed in batches: each batch is applied as a whole, or not at all.
///
/// The order inside a batch does not matter: an alias may replace addresses, and the other way round.
public struct ZoneBatches {
    private var editor: ZoneEditor

    /// - Throws: for a signed zone, because its signatures would become invalid.
    public init(_ zone: Zone) throws(ZoneError) { editor = try ZoneEditor(zone) }

    /// The current zone, and the names in lower case whose data changed, or that were added or removed.
    public func finish() -> (zone: Zone, names: Set<[UInt8]>) {
        var editor = editor
        return (editor.finish(), editor.changed)
    }

    /// The serial of the SOA.
    public var serial: UInt32 { editor.serial }

    /// The RRsets of a name.
    public func rrsets(of name: DomainName) -> [ZoneRRset] { editor.rrsets(of: name) }

    /// Whether the zone already has the content that a change asks for.
    public func has(_ change: RRsetChange) -> Bool { editor.has(change) }

    /// - Throws: what `apply` would.
    public func check(_ batch: [RRsetChange]) throws(ZoneBatchError) {
        let problems = editor.problems(of: batch)
        guard problems.isEmpty else { throw ZoneBatchError(problems) }
    }

    /// Applies all changes; each RRset may be changed at most once.
    ///
    /// - Parameter raisesSerial: whether the SOA gets the next serial (RFC 1982), unless a change replaces the SOA.
    /// - Throws: every change that is not possible. The zone is unchanged then.
    public mutating func apply(_ batch: [RRsetChange], raisesSerial: Bool) throws(ZoneBatchError) {
        try check(batch)
        for change in batch where change.records.isEmpty { editor.make(change) }
        for change in batch where !change.records.isEmpty { editor.make(change) }
        if raisesSerial, !batch.contains(where: { $0.type == .soa }) { editor.setSerial(editor.serial &+ 1) }
    }

    /// Sets the serial of the SOA.
    public mutating func setSerial(_ serial: UInt32) { editor.setSerial(serial) }
}
