public import DNSWire

/// Checks a batch completely before any of it is applied.
extension ZoneEditor {
    /// The changes that cannot be made together with the rest of the batch, in the batch's order, each with the reason.
    func problems(of batch: [RRsetChange]) -> [(change: Int, error: ZoneError)] {
        var problems: [(change: Int, error: ZoneError)] = []
        var seen: [RRsetKey: Int] = [:]
        var byOwner: [[UInt8]: [Int]] = [:]
        var size = 0
        for (place, change) in batch.enumerated() {
            do throws(ZoneError) {
                try check(change)
                let key = RRsetKey(owner: change.owner.lowercasedWire, type: change.type)
                guard seen.updateValue(place, forKey: key) == nil else {
                    throw ZoneError(
                        name: change.owner,
                        message: "its \(change.type) is changed twice; put all its records in one change")
                }
                try checkPlace(change)
                byOwner[key.owner, default: []].append(place)
                size += change.records.reduce(0) { $0 + 2 + $1.count }
            } catch { problems.append((place, error)) }
        }
        for places in byOwner.values {
            if let problem = checkOwner(places.map { (place: $0, change: batch[$0]) }) { problems.append(problem) }
        }
        if data.count + size > Int(UInt32.max) - 70_000, problems.isEmpty {
            problems.append(
                (0, ZoneError(name: zone.apex, message: "the zone has more than 4 GiB of data; delegate parts of it")))
        }
        return problems.sorted { $0.change < $1.change }
    }

    /// Checks a change on its own.
    private func check(_ change: RRsetChange) throws(ZoneError) {
        func refuse(_ message: String) -> ZoneError { ZoneError(name: change.owner, message: message) }
        guard change.owner.isSubdomain(of: zone.apex) else {
            throw refuse("is not in the zone \(zone.apex); give a name inside it")
        }
        switch change.type {
        case .rrsig, .nsec, .nsec3, .nsec3param, .dnskey:
            throw refuse("\(change.type) belongs to a signed zone; change and sign the zone file")
        case .dname: throw refuse("DNAME cannot be changed on its own in the zone \(zone.apex); change the zone file")
        case .ns where change.owner != zone.apex:
            throw refuse("a delegation cannot be changed on its own in the zone \(zone.apex); change the zone file")
        case let type where type.isMeta: throw refuse("\(type) cannot be served; remove the change")
        default: break
        }
        for record in change.records {
            guard record.count <= 65_535, record.withUnsafeBytes({ change.type.isWellFormed($0) }) else {
                throw refuse("the RDATA of \(change.type) is malformed; correct it")
            }
        }
        let records = Set(change.records)
        let count = records.count
        let size = records.reduce(0) { $0 + Self.recordOverhead + $1.count }
        guard size <= Self.messageRoom - change.owner.wire.count else {
            throw refuse(
                "its \(change.type) would need \(size) bytes in a message, and no message has room for them; give less")
        }
        if change.type == .soa {
            guard change.owner == zone.apex, count == 1 else {
                throw refuse("the zone \(zone.apex) needs exactly one SOA at its apex; give one there")
            }
        } else if change.type == .ns, count == 0 {
            throw refuse("the zone \(zone.apex) needs NS at its apex; replace them instead of removing them")
        }
        if change.type == .cname, count > 1 { throw refuse("has more than one CNAME; keep one") }
    }

    /// Bytes of a record besides its data: a pointer to the owner, type, class, TTL and length.
    private static let recordOverhead = 12
    /// Room for one answer and the owner name in a message of 65,535 bytes, after the header, the question's type and
    /// class, and EDNS with all options.
    private static let messageRoom = 65_535 - 12 - 4 - 255

    /// Checks that the zone is authoritative for the owner of a change.
    private func checkPlace(_ change: RRsetChange) throws(ZoneError) {
        let node = LookupName.withScratch { name in
            change.owner.wire.withUnsafeBytes { name.load($0) }
            return closestName(name).node
        }
        guard nodes[node].boundary >= 0 || nodes[node].isHashedOwner else { return }
        throw ZoneError(
            name: change.owner,
            message: "is at or below a delegation or a DNAME of the zone \(zone.apex); change the zone file")
    }

    /// Checks that the data of one name are compatible after all of its changes.
    private func checkOwner(
        _ changes: [(place: Int, change: RRsetChange)]
    ) -> (change: Int, error: ZoneError)? {
        guard let first = changes.first(where: { !$0.change.records.isEmpty }) else { return nil }
        let owner = first.change.owner
        func refuse(_ place: Int, _ message: String) -> (change: Int, error: ZoneError) {
            (place, ZoneError(name: owner, message: message))
        }
        var types: Set<RecordType> = []
        if let node = node(of: owner) {
            types = Set(nodes[node].rrsets.map { rrsets[Int($0)].type })
            if types.contains(.rrsig) {
                return refuse(first.place, "has signatures, which would become invalid; change and sign the zone file")
            }
            let kinds = nodes[node].tailored
            if let other = changes.first(where: {
                !$0.change.records.isEmpty && kinds.contradicts($0.change.type)
            }) {
                return refuse(
                    other.place,
                    "is tailored\(kinds.contains(.alias) ? " as CNAME" : "") and may not have \(other.change.type) in its zone; change what is tailored, or remove the "
                        + "change")
            }
        }
        for (_, change) in changes {
            if change.records.isEmpty { types.remove(change.type) } else { types.insert(change.type) }
        }
        guard types.contains(.cname), types.count > 1, let other = types.filter({ $0 != .cname }).min() else {
            return nil
        }
        return refuse(first.place, "would have CNAME and \(other); delete one of them in the same batch")
    }
}

/// Identifies an RRset in a zone.
public struct RRsetKey: Hashable, Sendable {
    /// In lower case.
    public var owner: [UInt8]
    public var type: RecordType

    public init(owner: [UInt8], type: RecordType) { (self.owner, self.type) = (owner, type) }
}
