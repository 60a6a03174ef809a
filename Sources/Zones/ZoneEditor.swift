import DNSWire

/// The arrays of a zone that is being changed. Changes are kept apart from the arrays that earlier versions share.
struct ZoneEditor {
    let zone: Zone
    private(set) var names: PatchedNames
    private(set) var nodes: PatchedArray<Zone.Node>
    private(set) var rrsets: PatchedArray<Zone.RRset>
    private(set) var data: PatchedBytes
    private var soa: Zone.RRset
    private var dependents: Zone.Dependents
    private let branches: [[UInt8]]
    private var movesSOA = false
    /// In lower case.
    private(set) var changed: Set<[UInt8]> = []

    init(_ zone: Zone) throws(ZoneError) {
        guard !zone.isSigned, zone.rrset(at: 0, .dnskey) == nil else {
            throw ZoneError(
                name: zone.apex,
                message: "the zone is signed; change and sign its file, because signatures would become invalid")
        }
        self.zone = zone
        (names, nodes, rrsets, data, soa) = (zone.names, zone.nodes, zone.rrsets, zone.data, zone.soa)
        dependents = zone.dependents
        branches = Zone.Dependents.branches(of: soa, data, below: zone.apex.lowercasedWire)
    }

    /// Patches slow down every further version. When a patched array exceeds this number, it is flattened.
    private static let patchLimit = 16_384

    mutating func finish() -> Zone {
        if dependents.garbage > data.count / 2 + 65_536 || dependents.removed > nodes.count / 4 + 1024 {
            compact()
            movesSOA = true
        } else if isLong(nodes) || isLong(rrsets) || data.added.count > 64 * Self.patchLimit {
            names.flatten()
            nodes.flatten()
            rrsets.flatten()
            data.flatten()
            dependents.referrers.flatten()
            dependents.nearSOA.flatten()
        }
        if movesSOA {
            let (removed, garbage) = (dependents.removed, dependents.garbage)
            dependents = Zone.Dependents(zone.apex, names, nodes, rrsets, soa, data)
            (dependents.removed, dependents.garbage) = (removed, garbage)
        }
        dependents.indexTargets(zone.apex, nodes, rrsets, data)
        dependents.isEdited = true
        return Zone(zone, names: names, nodes: nodes, rrsets: rrsets, data: data, soa: soa, dependents: dependents)
    }

    private func isLong(_ array: PatchedArray<some Sendable>) -> Bool {
        array.patchCount > min(Self.patchLimit, 1024 + array.base.count / 4)
    }

    // MARK: - Lookups

    /// The node of a name.
    func node(of name: DomainName) -> Int? {
        LookupName.withScratch { scratch in
            name.wire.withUnsafeBytes { scratch.load($0) }
            return names.find(scratch, from: 0)
        }
    }

    func rrset(at node: Int, _ type: RecordType) -> Zone.RRset? {
        for index in nodes[node].rrsets where rrsets[Int(index)].type == type { return rrsets[Int(index)] }
        return nil
    }

    private func records(of set: Zone.RRset) -> [[UInt8]] {
        data.withBytes(Int(set.data.lowerBound)..<Int(set.data.upperBound)) { data in
            var records: [[UInt8]] = []
            forEachData(data) { records.append(Array($0)) }
            return records
        }
    }

    func rrsets(of name: DomainName) -> [ZoneRRset] {
        guard let node = node(of: name) else { return [] }
        return nodes[node].rrsets.map { index in
            let set = rrsets[Int(index)]
            return ZoneRRset(owner: name, type: set.type, ttl: set.ttl, records: records(of: set))
        }
    }

    func has(_ change: RRsetChange) -> Bool {
        let set = node(of: change.owner).flatMap { rrset(at: $0, change.type) }
        guard let set else { return change.records.isEmpty }
        return set.ttl == min(change.ttl, Zone.maximumTTL) && Set(records(of: set)) == Set(change.records)
    }

    /// The serial of the SOA.
    var serial: UInt32 {
        let end = Int(soa.data.upperBound)
        return data.withBytes(end - 20..<end - 16) { $0.reduce(0) { $0 << 8 | UInt32($1) } }
    }

    // MARK: - Changes

    /// Applies a change that passed `problems(of:)`.
    mutating func make(_ change: RRsetChange) {
        let known = node(of: change.owner)
        guard known != nil || !change.records.isEmpty else { return }
        let node = known ?? enter(change.owner)
        changed.insert(change.owner.lowercasedWire)
        var seen: Set<[UInt8]> = []
        let records = change.records.filter { seen.insert($0).inserted }
        put(records, change, at: node)
        if nodes[node].rrsets.isEmpty { removeEmpty(node) }
    }

    mutating func setSerial(_ serial: UInt32) {
        guard serial != self.serial else { return }
        var record = records(of: soa)[0]
        let place = record.count - 20
        for byte in 0..<4 { record[place + byte] = UInt8(truncatingIfNeeded: serial >> UInt32(24 - 8 * byte)) }
        make(RRsetChange(owner: zone.apex, type: .soa, ttl: soa.ttl, records: [record]))
    }

    /// Adds the node of a new name, and those of the missing names above it.
    private mutating func enter(_ owner: DomainName) -> Int {
        LookupName.withScratch { name in
            owner.wire.withUnsafeBytes { name.load($0) }
            var (label, node) = closestName(name)
            while label > 0 {
                label -= 1
                names.insert(name, from: label)
                let place = nodes.count
                nodes.append(Zone.Node(rrsets: 0..<0, boundary: nodes[node].boundary))
                nodes[node].children += 1
                let suffix = name.suffix(label)
                if suffix[0] == 1, suffix[1] == UInt8(ascii: "*") { nodes[node].wildcard = Int32(place) }
                if Zone.Dependents.isUnder(branches, suffix) { dependents.nearSOA.append(UInt32(place)) }
                changed.insert(Array(suffix))
                node = place
            }
            return node
        }
    }

    /// The closest existing name at or above `name`, and the number of labels below it.
    func closestName(_ name: LookupName) -> (label: Int, node: Int) {
        for label in 0..<name.labelCount - zone.apexLabelCount {
            if let node = names.find(name, from: label) { return (label, node) }
        }
        return (name.labelCount - zone.apexLabelCount, 0)
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
        if Zone.Dependents.refers(type) { noteTargets(of: node) }
        if let old { rrsets[old] = set } else { insert(set, at: node) }
        if type == .soa { setSOA(set) }
    }

    /// Must be called before the records of a node change: notes that its targets change.
    private mutating func noteTargets(of node: Int) {
        let refers = nodes[node].rrsets.contains { Zone.Dependents.refers(rrsets[Int($0)].type) }
        dependents.move(node, isNew: !refers)
    }

    private mutating func insert(_ set: Zone.RRset, at node: Int) {
        let sets = nodes[node].rrsets.map { rrsets[Int($0)] }
        list((sets + [set]).sorted { $0.type < $1.type }, at: node)
    }

    /// Gives a node new RRsets, appended after all others.
    private mutating func list(_ sets: [Zone.RRset], at node: Int) {
        dependents.garbage += nodes[node].rrsets.count * MemoryLayout<Zone.RRset>.stride
        let start = UInt32(rrsets.count)
        for set in sets { rrsets.append(set) }
        nodes[node].rrsets = start..<UInt32(rrsets.count)
    }

    /// Stores records: in place of the old ones if they fit and no earlier version shares them, else at the end.
    private mutating func place(_ records: [[UInt8]], over old: Range<UInt32>?) -> Range<UInt32> {
        var bytes: [UInt8] = []
        for record in records { bytes += [UInt8(record.count >> 8), UInt8(record.count & 255)] + record }
        if let old, bytes.count <= old.count, data.isOwn(old) {
            dependents.garbage += old.count - bytes.count
            data.replace(at: Int(old.lowerBound), with: bytes)
            return old.lowerBound..<old.lowerBound + UInt32(bytes.count)
        }
        dependents.garbage += old?.count ?? 0
        let start = UInt32(data.count)
        data.append(bytes)
        return start..<UInt32(data.count)
    }

    private mutating func setSOA(_ set: Zone.RRset) {
        soa = set
        if Zone.Dependents.branches(of: soa, data, below: zone.apex.lowercasedWire) != branches { movesSOA = true }
    }

    /// Removes a name without data, and the empty non-terminals above it that existed only because of it.
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

    /// Rebuilds all arrays without unused data.
    private mutating func compact() {
        let old = (names: names, nodes: nodes, rrsets: rrsets, data: data)
        var places = [Int32](repeating: -1, count: old.nodes.count)
        var (names, nodes, rrsets, data) = (NameTable(), [Zone.Node](), [Zone.RRset](), [UInt8]())
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
                    old.data.withBytes(Int(set.data.lowerBound)..<Int(set.data.upperBound)) {
                        data.append(contentsOf: $0)
                    }
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
        self.names = PatchedNames(names)
        (self.nodes, self.rrsets) = (PatchedArray(nodes), PatchedArray(rrsets))
        self.data = PatchedBytes(data)
        (dependents.removed, dependents.garbage) = (0, 0)
    }
}
