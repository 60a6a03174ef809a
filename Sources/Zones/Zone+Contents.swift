public import DNSWire

/// An RRset of a zone, with its records in separate arrays.
public struct ZoneRRset: Hashable, Sendable {
    /// In lower case.
    public var owner: DomainName
    public var type: RecordType
    /// Seconds.
    public var ttl: UInt32
    /// RDATA without compression.
    public var records: [[UInt8]]
}

extension Zone {
    /// The SOA's serial: the first of the five numbers at the end of its RDATA (RFC 1035, section 3.3.13).
    public var serial: UInt32 {
        withData(soa) { data in data.suffix(20).prefix(4).reduce(0) { $0 << 8 | UInt32($1) } }
    }

    /// The RRsets of a name; empty if it has none or does not exist.
    public func rrsets(of name: DomainName) -> [ZoneRRset] {
        LookupName.withScratch { scratch in
            name.wire.withUnsafeBytes { scratch.load($0) }
            guard let node = names.find(scratch, from: 0) else { return [] }
            return rrsets(at: node)
        }
    }

    /// Calls `body` with the RRsets of every name that has any, the apex first, until it returns `false`.
    ///
    /// - Parameter top: only this name and those below it.
    public func forEachOwner(under top: DomainName? = nil, _ body: ([ZoneRRset]) -> Bool) {
        let suffix = top?.lowercasedWire
        for node in nodes.indices where !nodes[node].isRemoved && !nodes[node].rrsets.isEmpty {
            if let suffix, !names.withName(at: node, { Self.lies($0, under: suffix) }) { continue }
            guard body(rrsets(at: node)) else { return }
        }
    }

    private static func lies(_ wire: UnsafeRawBufferPointer, under suffix: [UInt8]) -> Bool {
        let start = wire.count - suffix.count
        guard start >= 0, wire.suffix(suffix.count).elementsEqual(suffix) else { return false }
        var position = 0
        while position < start { position += 1 + Int(wire[position]) }
        return position == start
    }

    private func rrsets(at node: Int) -> [ZoneRRset] {
        let owner = names.withName(at: node) { DomainName(wire: $0) } ?? .root
        return nodes[node].rrsets.map { index in
            let set = rrsets[Int(index)]
            return ZoneRRset(owner: owner, type: set.type, ttl: set.ttl, records: records(of: set))
        }
    }

    /// The records of an RRset in separate arrays.
    func records(of set: RRset) -> [[UInt8]] {
        withData(set) { data in
            var records: [[UInt8]] = []
            forEachData(data) { records.append(Array($0)) }
            return records
        }
    }
}
