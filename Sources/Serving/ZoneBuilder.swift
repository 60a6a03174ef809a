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
        var type: RecordType
        var ttl: UInt32
        var records: [[UInt8]] = []

        mutating func add(_ record: ResourceRecord) {
            ttl = min(ttl, record.ttl)
            if !records.contains(record.data) { records.append(record.data) }
        }
    }

    private struct NodeDraft {
        var name: DomainName
        var parent: Int
        var rrsets: [RRsetDraft] = []
        var isTailored = false

        func count(_ type: RecordType) -> Int { rrsets.first { $0.type == type }?.records.count ?? 0 }
    }

    public let apex: DomainName
    /// Every name comes after the one above it; the apex is first.
    private var nodes: [NodeDraft]
    private var indexes: [DomainName: Int]

    /// Starts a zone of which nothing but the name is known.
    public init(apex: DomainName) {
        self.apex = apex
        nodes = [NodeDraft(name: apex, parent: 0)]
        indexes = [apex: 0]
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
        let node = exist(record.owner)
        let place = nodes[node].rrsets.firstIndex { $0.type == record.type }
        if place == nil { nodes[node].rrsets.append(RRsetDraft(type: record.type, ttl: record.ttl)) }
        nodes[node].rrsets[place ?? nodes[node].rrsets.count - 1].add(record)
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
        nodes[exist(name)].isTailored = true
    }

    /// The index of `name`; enters it, and the empty non-terminals between it and the apex (RFC 4592, section 2.2.2), where
    /// they are missing.
    private mutating func exist(_ name: DomainName) -> Int {
        if let index = indexes[name] { return index }
        // The apex exists and every name here is below it, so that the recursion ends there.
        let parent = exist(name.parent ?? apex)
        indexes[name] = nodes.count
        nodes.append(NodeDraft(name: name, parent: parent))
        return nodes.count - 1
    }

    /// Checks the whole and makes the zone.
    ///
    /// Refused are: not exactly one SOA at the apex, CNAME beside other data or more than one of it (RFC 2181, section
    /// 10.1), DNAME beside a delegation or more than one of it (RFC 6672, section 2.4), and tailored names over a CNAME or
    /// addresses, at or below a delegation, below a DNAME, or in a signed zone.
    public func build() throws(ZoneError) -> Zone {
        for draft in nodes { try check(draft) }
        if nodes[0].count(.dnskey) > 0, let tailored = nodes.first(where: \.isTailored) {
            throw ZoneError(
                name: tailored.name,
                message:
                    "is tailored in the signed zone \(apex), where its answers would have no signature; delegate it to "
                    + "an unsigned zone, or tailor it there")
        }
        var (finished, rrsets, data): ([Zone.Node], [Zone.RRset], [UInt8]) = ([], [], [])
        finished.reserveCapacity(nodes.count)
        for (index, draft) in nodes.enumerated() {
            let first = UInt32(rrsets.count)
            for set in draft.rrsets.sorted(by: { $0.type < $1.type }) { rrsets.append(Self.lay(set, into: &data)) }
            var node = Zone.Node(rrsets: first..<UInt32(rrsets.count))
            node.isTailored = draft.isTailored
            let delegates = index > 0 && draft.count(.ns) > 0
            let above = index > 0 ? finished[draft.parent].boundary : -1
            node.boundary = above >= 0 ? above : delegates || draft.count(.dname) > 0 ? Int32(index) : -1
            if draft.isTailored, above >= 0 || delegates {
                let end = nodes[Int(node.boundary)].name
                throw ZoneError(
                    name: draft.name,
                    message: "a tailored name lies at or below \(end), where the zone ends; remove the NS or DNAME, "
                        + "or tailor the name in the other zone")
            }
            if index > 0, draft.name.isWildcard { finished[draft.parent].wildcard = Int32(index) }
            finished.append(node)
        }
        guard let soa = rrsets[..<Int(finished[0].rrsets.upperBound)].first(where: { $0.type == .soa }) else {
            throw ZoneError(name: apex, message: "the zone has no SOA; add one at its apex")
        }
        return Zone(
            apex: apex, names: NameTable(nodes.lazy.map(\.name)), nodes: finished, rrsets: rrsets, data: data, soa: soa)
    }

    private static func lay(_ set: RRsetDraft, into data: inout [UInt8]) -> Zone.RRset {
        let start = UInt32(data.count)
        for record in set.records {
            data += [UInt8(truncatingIfNeeded: record.count >> 8), UInt8(truncatingIfNeeded: record.count)]
            data += record
        }
        return Zone.RRset(type: set.type, ttl: set.ttl, data: start..<UInt32(data.count))
    }

    private func check(_ draft: NodeDraft) throws(ZoneError) {
        let (name, count) = (draft.name, draft.count)
        if name == apex {
            guard count(.soa) == 1 else {
                throw ZoneError(
                    name: name, message: "the zone has \(count(.soa)) SOA records; it needs exactly one at its apex")
            }
        } else if count(.soa) > 0 {
            throw ZoneError(name: name, message: "an SOA belongs to the apex \(apex) only; remove it")
        }
        // A signed CNAME has its signature and denial beside it (RFC 4034, sections 3 and 4).
        let besideCNAME = draft.rrsets.first { ![.cname, .rrsig, .nsec].contains($0.type) }
        if let other = besideCNAME, count(.cname) > 0 {
            throw ZoneError(name: name, message: "has CNAME and \(other.type); remove one of them")
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
