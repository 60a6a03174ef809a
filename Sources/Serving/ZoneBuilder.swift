public import DNSWire

/// Why a record or a tailored name cannot be part of a zone.
public struct ZoneError: Error, Hashable, Sendable, CustomStringConvertible {
    public var name: DomainName
    /// What is wrong, and what to do.
    public var message: String

    public var description: String { "\(name): \(message)" }
}

/// Collects the records and tailored names of a zone, and makes the zone.
public struct ZoneBuilder: Sendable {
    private struct RRsetDraft {
        var ttl: UInt32
        var records: [[UInt8]] = []

        mutating func add(_ record: ResourceRecord) {
            ttl = min(ttl, record.ttl)
            if !records.contains(record.data) { records.append(record.data) }
        }
    }

    private struct NodeDraft {
        var rrsets: [RecordType: RRsetDraft] = [:]
        var isTailored = false
    }

    public let apex: DomainName
    private var nodes: [DomainName: NodeDraft]

    /// Starts a zone of which nothing but the name is known.
    public init(apex: DomainName) {
        self.apex = apex
        nodes = [apex: NodeDraft()]
    }

    /// Adds a record. Repeated records count once (RFC 2181, section 5); where the TTLs of an RRset differ, the smallest
    /// is used.
    public mutating func add(_ record: ResourceRecord) throws(ZoneError) {
        guard record.owner.isSubdomain(of: apex) else {
            throw ZoneError(name: record.owner, message: "is not in the zone \(apex); remove the record")
        }
        guard record.recordClass == .in, !record.type.isMeta else {
            throw ZoneError(
                name: record.owner, message: "\(record.type) of class \(record.recordClass) cannot be served")
        }
        guard record.type.isWellFormed(record.data) else {
            throw ZoneError(name: record.owner, message: "the RDATA of \(record.type) is malformed")
        }
        exist(record.owner)
        nodes[record.owner]?.rrsets[record.type, default: RRsetDraft(ttl: record.ttl)].add(record)
    }

    /// Makes a tailored name exist, with the names above it. Its addresses are not the zone's.
    public mutating func addTailoredName(_ name: DomainName) throws(ZoneError) {
        guard name.isSubdomain(of: apex) else {
            throw ZoneError(
                name: name, message: "is not in the zone \(apex); serve its zone or remove the tailored name")
        }
        guard !name.isWildcard else {
            throw ZoneError(name: name, message: "a tailored name cannot be a wildcard; name each host")
        }
        exist(name)
        nodes[name]?.isTailored = true
    }

    /// Enters `name` and the empty non-terminals between it and the apex (RFC 4592, section 2.2.2).
    private mutating func exist(_ name: DomainName) {
        var missing = name
        while nodes[missing] == nil {
            nodes[missing] = NodeDraft()
            guard let parent = missing.parent else { break }
            missing = parent
        }
    }

    /// Checks the whole and makes the zone.
    ///
    /// Refused are: not exactly one SOA at the apex, CNAME beside other data or more than one of it (RFC 2181, section
    /// 10.1), DNAME beside a delegation or more than one of it (RFC 6672, section 2.4), and tailored names over a CNAME or
    /// addresses, or at or below a delegation or below a DNAME.
    public func build() throws(ZoneError) -> Zone {
        // The canonical order puts the apex first and every name after those above it.
        let order = nodes.keys.sorted()
        for name in order { try check(name) }
        let indexes = Dictionary(uniqueKeysWithValues: order.enumerated().map { ($1, $0) })
        var (finished, rrsets, data): ([Zone.Node], [Zone.RRset], [UInt8]) = ([], [], [])
        for (index, name) in order.enumerated() {
            guard let draft = nodes[name] else { continue }
            let first = UInt32(rrsets.count)
            for (type, set) in draft.rrsets.sorted(by: { $0.key < $1.key }) {
                rrsets.append(Self.lay(set, type, into: &data))
            }
            var node = Zone.Node(rrsets: first..<UInt32(rrsets.count), labelCount: UInt8(name.labelCount))
            node.isTailored = draft.isTailored
            let above = index == 0 ? -1 : finished[indexes[name.parent ?? apex] ?? 0].boundary
            let ends = draft.rrsets[.dname] != nil || (index > 0 && draft.rrsets[.ns] != nil)
            node.boundary = above >= 0 ? above : ends ? Int32(index) : -1
            if node.isTailored, node.boundary >= 0, above >= 0 || draft.rrsets[.ns] != nil && index > 0 {
                throw ZoneError(
                    name: name,
                    message: "a tailored name lies at or below \(order[Int(node.boundary)]), where the "
                        + "zone ends; remove the NS or DNAME, or tailor it in the other zone")
            }
            if name.isWildcard, index > 0, let parent = indexes[name.parent ?? apex] {
                finished[parent].wildcard = Int32(index)
            }
            finished.append(node)
        }
        let soa = rrsets[Int(finished[0].rrsets.lowerBound)..<Int(finished[0].rrsets.upperBound)].first {
            $0.type == .soa
        }
        guard let soa else { throw ZoneError(name: apex, message: "the zone has no SOA; add one at its apex") }
        return Zone(apex: apex, names: NameTable(order), nodes: finished, rrsets: rrsets, data: data, soa: soa)
    }

    private static func lay(_ set: RRsetDraft, _ type: RecordType, into data: inout [UInt8]) -> Zone.RRset {
        let start = UInt32(data.count)
        for record in set.records {
            data += [UInt8(truncatingIfNeeded: record.count >> 8), UInt8(truncatingIfNeeded: record.count)]
            data += record
        }
        return Zone.RRset(type: type, ttl: set.ttl, data: start..<UInt32(data.count))
    }

    private func check(_ name: DomainName) throws(ZoneError) {
        guard let draft = nodes[name] else { return }
        func count(_ type: RecordType) -> Int { draft.rrsets[type]?.records.count ?? 0 }
        let soas = count(.soa)
        if name == apex {
            guard soas == 1 else {
                throw ZoneError(
                    name: name, message: "the zone has \(soas) SOA records; it needs exactly one at its apex")
            }
        } else if soas > 0 {
            throw ZoneError(name: name, message: "an SOA belongs to the apex \(apex) only; remove it")
        }
        // A signed CNAME has its signature and denial beside it (RFC 4034, sections 3 and 4).
        let besideCNAME = draft.rrsets.keys.first { ![.cname, .rrsig, .nsec].contains($0) }
        if let other = besideCNAME, count(.cname) > 0 {
            throw ZoneError(name: name, message: "has CNAME and \(other); remove one of them")
        }
        guard count(.cname) <= 1, count(.dname) <= 1 else {
            throw ZoneError(name: name, message: "has more than one CNAME or DNAME; keep one")
        }
        if count(.dname) > 0, count(.ns) > 0, name != apex {
            throw ZoneError(name: name, message: "has DNAME and NS; a delegation cannot have a DNAME")
        }
        if draft.isTailored, let type = [RecordType.a, .aaaa, .cname].first(where: { count($0) > 0 }) {
            throw ZoneError(name: name, message: "is tailored and has \(type) in its zone; remove one of them")
        }
    }
}
