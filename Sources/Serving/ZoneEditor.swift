import DNSWire

/// A zone's arrays under change.
struct ZoneEditor {
    private let zone: Zone
    private var names: NameTable
    private var nodes: [Zone.Node]
    private var rrsets: [Zone.RRset]
    private var data: [UInt8]
    private var soa: Zone.RRset
    private var dependents: Zone.Dependents
    private let branches: [[UInt8]]
    private var movesSOA = false
    /// In lower case.
    private(set) var changed: Set<[UInt8]> = []

    init(_ zone: Zone) throws(ZoneError) {
        guard !zone.isSigned, zone.rrset(at: 0, .dnskey) == nil else {
            throw ZoneError(name: zone.apex, message: "the zone is signed; load it anew with its signatures")
        }
        self.zone = zone
        (names, nodes, rrsets, data, soa) = (zone.names, zone.nodes, zone.rrsets, zone.data, zone.soa)
        dependents = zone.dependents
        branches = Zone.Dependents.branches(of: soa, data, below: zone.apex.lowercasedWire)
    }

    mutating func finish() -> Zone {
        let apex = zone.apex
        if dependents.garbage > data.count / 2 + 65_536 || dependents.removed > nodes.count / 4 + 1024 {
            compact()
            movesSOA = true
        }
        if movesSOA {
            let (removed, garbage) = (dependents.removed, dependents.garbage)
            dependents = Zone.Dependents(apex, names, nodes, rrsets, soa, data)
            (dependents.removed, dependents.garbage) = (removed, garbage)
        }
        return Zone(zone, names: names, nodes: nodes, rrsets: rrsets, data: data, soa: soa, dependents: dependents)
    }

    mutating func apply(_ change: RRsetChange) throws(ZoneError) {
        let records = try check(change)
        let known = LookupName.withScratch { name in
            change.owner.wire.withUnsafeBytes { name.load($0) }
            return names.find(name, from: 0)
        }
        guard known != nil || !records.isEmpty else { return }
        try checkNode(known, change)
        let node = known ?? enter(change.owner)
        try checkEnd(node, change)
        changed.insert(change.owner.lowercasedWire)
        put(records, change, at: node)
        if nodes[node].rrsets.isEmpty { removeEmpty(node) }
    }

    // MARK: - Checks

    /// The records, each once.
    private func check(_ change: RRsetChange) throws(ZoneError) -> [[UInt8]] {
        func refuse(_ message: String) -> ZoneError { ZoneError(name: change.owner, message: message) }
        guard change.owner.isSubdomain(of: zone.apex) else {
            throw refuse("is not in the zone \(zone.apex); remove the record")
        }
        switch change.type {
        case .rrsig, .nsec, .nsec3, .nsec3param, .dnskey:
            throw refuse("\(change.type) is part of a signed zone; load it anew with its signatures")
        case .dname: throw refuse("DNAME changes where the zone \(zone.apex) ends; load the zone anew")
        case .ns where change.owner != zone.apex:
            throw refuse("NS below the apex changes where the zone \(zone.apex) ends; load the zone anew")
        case let type where type.isMeta: throw refuse("\(type) cannot be served")
        default: break
        }
        var records: [[UInt8]] = []
        for record in change.records where !records.contains(record) {
            guard record.count <= 65_535, record.withUnsafeBytes({ change.type.isWellFormed($0) }) else {
                throw refuse("the RDATA of \(change.type) is malformed")
            }
            records.append(record)
        }
        if change.type == .soa {
            guard change.owner == zone.apex, records.count == 1 else {
                throw refuse("the zone \(zone.apex) needs exactly one SOA at its apex")
            }
        }
        if change.type == .cname, records.count > 1 { throw refuse("has more than one CNAME; keep one") }
        return records
    }

    private func checkNode(_ node: Int?, _ change: RRsetChange) throws(ZoneError) {
        guard let node, !change.records.isEmpty else { return }
        let others = nodes[node].rrsets.map { rrsets[Int($0)].type }.filter { $0 != change.type }
        let alias: RecordType? = change.type == .cname ? .cname : others.contains(.cname) ? .cname : nil
        if alias != nil, let other = change.type == .cname ? others.first : change.type {
            throw ZoneError(name: change.owner, message: "has CNAME and \(other); remove one of them")
        }
        if others.contains(.rrsig) {
            throw ZoneError(name: change.owner, message: "has signatures; load the zone anew with new ones")
        }
        if nodes[node].isTailored, [.a, .aaaa, .cname, .srv, .https, .svcb].contains(change.type) {
            throw ZoneError(
                name: change.owner,
                message: "is tailored and may not have \(change.type) in its zone; load the zone anew")
        }
    }

    private func checkEnd(_ node: Int, _ change: RRsetChange) throws(ZoneError) {
        guard nodes[node].boundary >= 0 || nodes[node].isHashedOwner else { return }
        throw ZoneError(
            name: change.owner,
            message: "lies where the zone \(zone.apex) ends, at an NS or a DNAME; load the zone anew")
    }

    // MARK: - Changes

    /// The node of a new name, and those of the empty non-terminals above it.
    private mutating func enter(_ owner: DomainName) -> Int {
        LookupName.withScratch { name in
            owner.wire.withUnsafeBytes { name.load($0) }
            var label = 0
            var node: Int?
            while node == nil {
                label += 1
                node = names.find(name, from: label)
            }
            var parent = node ?? 0
            while label > 0 {
                label -= 1
                names.insert(name, from: label)
                let place = nodes.count
                nodes.append(Zone.Node(rrsets: 0..<0, boundary: nodes[parent].boundary))
                nodes[parent].children += 1
                let suffix = name.suffix(label)
                if suffix[0] == 1, suffix[1] == UInt8(ascii: "*") { nodes[parent].wildcard = Int32(place) }
                if Zone.Dependents.isUnder(branches, suffix) { dependents.nearSOA.append(UInt32(place)) }
                changed.insert(Array(suffix))
                parent = place
            }
            return parent
        }
    }

    private mutating func put(_ records: [[UInt8]], _ change: RRsetChange, at node: Int) {
        let type = change.type
        let old = nodes[node].rrsets.first { rrsets[Int($0)].type == type }.map { Int($0) }
        if records.isEmpty {
            guard let old else { return }
            dependents.garbage += rrsets[old].data.count
            list(nodes[node].rrsets.filter { Int($0) != old }.map { rrsets[Int($0)] }, at: node)
            return
        }
        let set = Zone.RRset(
            type: type, ttl: min(change.ttl, Zone.maximumTTL), data: place(records, over: old.map { rrsets[$0].data }))
        if let old { rrsets[old] = set } else { insert(set, at: node) }
        if type == .soa { setSOA(set) }
    }

    private mutating func insert(_ set: Zone.RRset, at node: Int) {
        let refers = nodes[node].rrsets.contains { Zone.Dependents.refers(rrsets[Int($0)].type) }
        if !refers, Zone.Dependents.refers(set.type) { dependents.referrers.append(UInt32(node)) }
        let sets = nodes[node].rrsets.map { rrsets[Int($0)] }
        list((sets + [set]).sorted { $0.type < $1.type }, at: node)
    }

    /// Gives a node its RRsets, behind all others.
    private mutating func list(_ sets: [Zone.RRset], at node: Int) {
        dependents.garbage += nodes[node].rrsets.count * MemoryLayout<Zone.RRset>.stride
        let start = UInt32(rrsets.count)
        rrsets += sets
        nodes[node].rrsets = start..<UInt32(rrsets.count)
    }

    /// The place of the records: where the ones before stood, if they fit.
    private mutating func place(_ records: [[UInt8]], over old: Range<UInt32>?) -> Range<UInt32> {
        let size = records.reduce(0) { $0 + 2 + $1.count }
        var start = data.count
        if let old, size <= old.count { start = Int(old.lowerBound) }
        dependents.garbage += (old?.count ?? 0) - (start < data.count ? size : 0)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(size)
        for record in records { bytes += [UInt8(record.count >> 8), UInt8(record.count & 255)] + record }
        if start < data.count {
            data.replaceSubrange(start..<start + size, with: bytes)
        } else {
            data += bytes
        }
        return UInt32(start)..<UInt32(start + size)
    }

    private mutating func setSOA(_ set: Zone.RRset) {
        soa = set
        if Zone.Dependents.branches(of: soa, data, below: zone.apex.lowercasedWire) != branches { movesSOA = true }
    }

    /// Takes a name without data out of the zone, and those above it that existed for it alone.
    private mutating func removeEmpty(_ node: Int) {
        var node = node
        while node > 0, nodes[node].rrsets.isEmpty, nodes[node].children == 0, !nodes[node].isTailored {
            let wire = names.withName(at: node) { Array($0) }
            let parent = LookupName.withScratch { name in
                wire.withUnsafeBytes { name.load($0) }
                return names.find(name, from: 1) ?? 0
            }
            changed.insert(wire)
            names.remove(at: node)
            nodes[node].isRemoved = true
            dependents.removed += 1
            nodes[parent].children -= 1
            if Int(nodes[parent].wildcard) == node { nodes[parent].wildcard = -1 }
            node = parent
        }
    }

    /// Lays everything out anew, without what no name has.
    private mutating func compact() {
        let old = (names: names, nodes: nodes, rrsets: rrsets, data: data)
        var places = [Int32](repeating: -1, count: old.nodes.count)
        (names, nodes, rrsets, data) = (NameTable(), [], [], [])
        LookupName.withScratch { name in
            for node in old.nodes.indices where !old.nodes[node].isRemoved {
                old.names.withName(at: node) { name.load($0) }
                names.insert(name, from: 0)
                places[node] = Int32(nodes.count)
                var kept = old.nodes[node]
                let start = UInt32(rrsets.count)
                for index in kept.rrsets {
                    var set = old.rrsets[Int(index)]
                    let place = UInt32(data.count)
                    data += old.data[Int(set.data.lowerBound)..<Int(set.data.upperBound)]
                    set.data = place..<UInt32(data.count)
                    rrsets.append(set)
                }
                kept.rrsets = start..<UInt32(rrsets.count)
                nodes.append(kept)
            }
        }
        for node in nodes.indices {
            if nodes[node].wildcard >= 0 { nodes[node].wildcard = places[Int(nodes[node].wildcard)] }
            if nodes[node].boundary >= 0 { nodes[node].boundary = places[Int(nodes[node].boundary)] }
        }
        soa = nodes[0].rrsets.map { rrsets[Int($0)] }.first { $0.type == .soa } ?? soa
        (dependents.removed, dependents.garbage) = (0, 0)
    }
}
