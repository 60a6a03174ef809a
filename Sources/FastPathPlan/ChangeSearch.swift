import DNSWire
import Resolution
import Zones

/// Finds the names whose replies change when the contents of zones change.
struct ChangeSearch {
    private let before: ZoneSet
    private let after: ZoneSet
    private let sharing: Set<[UInt8]>
    private let limit: Int
    /// Names to be rendered again, by the index of their zone.
    private var found: [Int: Set<[UInt8]>] = [:]
    private var count = 0
    /// Zones whose SOA changed.
    private(set) var otherSOA: Set<Int> = []
    /// Hashes of changed names, as in `LookupName`. Names that lead to such a name, or below it, change too. A hash
    /// collision only adds names.
    private var keys: Set<UInt32> = []
    /// Hashes of changed apexes. Names that lead to exactly these change too.
    private var apexKeys: Set<UInt32> = []
    /// Hashes of apexes whose SOA changed: this affects aliases to names that do not exist.
    private var soaKeys: Set<UInt32> = []
    /// Hashes whose dependents have not been searched yet.
    private var fresh: [(key: UInt32, isApex: Bool)] = []

    /// `nil` if the sets differ in more than the versions of their zones.
    init?(_ before: ZoneSet, _ after: ZoneSet, sharing: Set<[UInt8]>, limit: Int) {
        guard before.zones.count == after.zones.count else { return nil }
        for (old, new) in zip(before.zones, after.zones) where old !== new {
            guard old.apex == new.apex, old.leavesAliasEnds == new.leavesAliasEnds,
                (before.accessList(of: old) == nil) == (after.accessList(of: new) == nil)
            else { return nil }
        }
        (self.before, self.after, self.sharing, self.limit) = (before, after, sharing, limit)
    }

    var zones: [Int] { Set(found.keys).union(otherSOA).sorted() }

    func names(of zone: Int) -> [[UInt8]] {
        (found[zone] ?? []).sorted { $0.lexicographicallyPrecedes($1) }
    }

    // MARK: - Differences

    /// Collects the names at which zones differ; `false` if a difference is of a kind that is not followed.
    mutating func compare(_ names: [Int: Set<[UInt8]>]?) -> Bool {
        for (index, (old, new)) in zip(before.zones, after.zones).enumerated() where old !== new {
            guard !old.isSigned, !new.isSigned else { return false }
            let differences: [Zone.Difference]
            if let names {
                differences = Zone.differences(from: old, to: new, at: names[index] ?? [])
            } else {
                guard let all = Zone.differences(from: old, to: new, limit: limit) else { return false }
                differences = all
            }
            guard compareSOA(index, old, new), differences.isEmpty || areApart(differences, new) else { return false }
            for difference in differences {
                guard note(difference, index, old, new) else { return false }
            }
        }
        return count <= limit
    }

    /// Whether no apex lies below a name that was added or removed.
    private func areApart(_ differences: [Zone.Difference], _ zone: Zone) -> Bool {
        guard after.zones.count > 1 else { return true }
        let nested = after.zones.filter { $0 !== zone && $0.apex.isSubdomain(of: zone.apex) }
        guard !nested.isEmpty else { return true }
        return differences.allSatisfy { difference in
            difference.before != nil && difference.after != nil
                || nested.allSatisfy {
                    !$0.apex.lowercasedWire.suffix(difference.wire.count).elementsEqual(difference.wire)
                }
        }
    }

    private mutating func note(_ difference: Zone.Difference, _ index: Int, _ old: Zone, _ new: Zone) -> Bool {
        for (zone, node) in [(old, difference.before), (new, difference.after)] {
            guard let node else { continue }
            guard zone.nodes[node].boundary < 0, !zone.nodes[node].isHashedOwner else { return false }
            for set in zone.nodes[node].rrsets where [.rrsig, .dnskey].contains(zone.rrsets[Int(set)].type) {
                return false
            }
        }
        if let before = difference.before, let after = difference.after,
            old.nodes[before].isTailored != new.nodes[after].isTailored
        {
            return false
        }
        insert(difference.wire, index, new)
        return true
    }

    /// Handles a changed SOA; `false` if the names in it changed.
    private mutating func compareSOA(_ index: Int, _ old: Zone, _ new: Zone) -> Bool {
        guard !Zone.isSame(old, old.soa, new, new.soa) else { return true }
        let numbers = 20
        let hosts = [(old, old.soa), (new, new.soa)].map { zone, soa in
            zone.withData(soa) { Array($0.dropLast(numbers)) }
        }
        guard hosts[0] == hosts[1] else { return false }
        otherSOA.insert(index)
        soaKeys.insert(new.dependents.targets.apex)
        let isShared = sharing.contains(new.apex.lowercasedWire)
        let affected = isShared ? new.dependents.nearSOA.map { Int($0) } : Array(new.nodes.indices)
        for node in affected {
            guard count <= limit else { return false }
            add(node, index, new)
        }
        add(0, index, new)
        // The DS NODATA reply of a delegation contains the SOA and is rendered separately.
        for node in (new.dependents.targets.delegations + new.dependents.targets.redirections).map({ Int($0) })
        where new.nodes[node].boundary >= 0 && new.rrset(at: node, .ds) == nil {
            guard count <= limit else { return false }
            add(node, index, new)
        }
        return true
    }

    // MARK: - Dependents

    /// Adds the names whose records lead to changed names; `false` if there are too many.
    mutating func follow() -> Bool {
        guard !keys.isEmpty || !soaKeys.isEmpty || !apexKeys.isEmpty else { return true }
        enterRedirections()
        fresh = keys.map { ($0, false) } + apexKeys.map { ($0, true) }
        for place in otherSOA { guard followSOA(of: place) else { return false } }
        while let (key, isApex) = fresh.popLast() {
            for (index, zone) in after.zones.enumerated() {
                zone.dependents.forEach(leadingTo: key, orBelow: !isApex) { node in
                    if count <= limit { note(zone, index, node) }
                }
            }
            guard count <= limit else { return false }
        }
        return true
    }

    /// Adds a node if its records lead to a changed name.
    private mutating func note(_ zone: Zone, _ index: Int, _ node: Int) {
        guard Self.isFound(zone, node), leads(zone, node) else { return }
        let wire = zone.names.withName(at: node) { Array($0) }
        if found[index]?.contains(wire) == true, isKey(wire, zone) { return }
        insert(wire, index, zone)
    }

    /// Adds the aliases to names of a zone whose SOA changed; `false` if there are too many.
    private mutating func followSOA(of place: Int) -> Bool {
        let key = after.zones[place].dependents.targets.apex
        for (index, zone) in after.zones.enumerated() {
            if index != place {
                zone.dependents.forEach(leadingTo: key, orBelow: true) { node in
                    if count <= limit { note(zone, index, node) }
                }
            } else if !zone.leavesAliasEnds {
                for node in zone.dependents.targets.aliases { note(zone, index, Int(node)) }
                for node in zone.dependents.moved { note(zone, index, Int(node)) }
            }
        }
        return count <= limit
    }

    /// Adds the names whose tailored records lead to changed names. Called last, because nothing depends on these names
    /// in turn.
    mutating func follow(_ model: ServingModel) -> Bool {
        guard !keys.isEmpty || !soaKeys.isEmpty || !apexKeys.isEmpty else { return true }
        return LookupName.withScratch { name in
            for group in model.tailoredHosts.groups {
                let isLed = group.hosts.contains { host in
                    host.withUnsafeBytes { name.load($0) }
                    return leads(to: name, isAlias: true)
                }
                guard isLed else { continue }
                for index in group.names {
                    let wire = model.tailoredRecords[index].name.lowercasedWire
                    wire.withUnsafeBytes { name.load($0) }
                    guard let zone = after.find(name), let place = after.zones.firstIndex(where: { $0 === zone })
                    else { continue }
                    add(wire, place)
                    // The records of a wildcard are part of the entry of its parent.
                    if wire.starts(with: [1, UInt8(ascii: "*")]) { add(Array(wire.dropFirst(2)), place) }
                    guard count <= limit else { return false }
                }
            }
            return true
        }
    }

    /// The targets of DNAMEs are not followed: every name that leads below a DNAME counts as changed.
    private mutating func enterRedirections() {
        for zone in after.zones {
            for node in zone.dependents.targets.redirections.lazy.map({ Int($0) }) {
                keys.insert(zone.names.withName(at: node) { Self.hash($0) })
            }
        }
    }

    /// Whether a node's records name a changed name, or are an alias to a name that the zone may not have.
    private func leads(_ zone: Zone, _ node: Int) -> Bool {
        // An alias end that is left to the resolver does not change with the SOA of its zone.
        let left = zone.leavesAliasEnds ? zone.dependents.targets.apex : nil
        return LookupName.withScratch { host in
            for index in zone.nodes[node].rrsets {
                let set = zone.rrsets[Int(index)]
                guard let offset = set.type.hostOffset else { continue }
                let isFound = zone.withData(set) { data in
                    var isFound = false
                    forEachData(data) { record in
                        guard !isFound, let length = DomainName.wireLength(in: record, at: offset) else { return }
                        host.load(UnsafeRawBufferPointer(rebasing: record[offset..<offset + length]))
                        isFound = leads(to: host, isAlias: set.type == .cname, left: left)
                    }
                    return isFound
                }
                if isFound { return true }
            }
            return false
        }
    }

    /// - Parameter left: the apex of a zone whose SOA does not matter.
    private func leads(to host: LookupName, isAlias: Bool, left: UInt32? = nil) -> Bool {
        if apexKeys.contains(host.hash(0)) { return true }
        for label in 0...host.labelCount {
            let key = host.hash(label)
            if keys.contains(key) || isAlias && key != left && soaKeys.contains(key) { return true }
        }
        return false
    }

    /// Whether queries find the node. Names below a delegation or a DNAME are covered by its own entry.
    private static func isFound(_ zone: Zone, _ node: Int) -> Bool {
        let known = zone.nodes[node]
        return !known.isRemoved && !known.isHashedOwner && (known.boundary < 0 || Int(known.boundary) == node)
    }

    // MARK: - Collected names

    private static func hash(_ wire: some Collection<UInt8>) -> UInt32 {
        LookupName.withScratch { name in
            Array(wire).withUnsafeBytes { name.load($0) }
            return name.hash(0)
        }
    }

    /// The hash of the name at and below which a change at `wire` has effects, and whether it is an apex.
    private func key(_ wire: [UInt8], _ zone: Zone) -> (hash: UInt32, isApex: Bool) {
        if wire.starts(with: [1, UInt8(ascii: "*")]) { return (Self.hash(wire.dropFirst(2)), false) }
        return (Self.hash(wire), wire == zone.apex.lowercasedWire)
    }

    private func isKey(_ wire: [UInt8], _ zone: Zone) -> Bool {
        let key = key(wire, zone)
        return (key.isApex ? apexKeys : keys).contains(key.hash)
    }

    /// Adds a name whose data changed, and the hash that its dependents are found by.
    private mutating func insert(_ wire: [UInt8], _ index: Int, _ zone: Zone) {
        let key = key(wire, zone)
        let isFresh = key.isApex ? apexKeys.insert(key.hash).inserted : keys.insert(key.hash).inserted
        if isFresh { fresh.append((key.hash, key.isApex)) }
        add(wire, index)
        // The data of a wildcard are part of the entry of its parent.
        if wire.starts(with: [1, UInt8(ascii: "*")]) { add(Array(wire.dropFirst(2)), index) }
    }

    private mutating func add(_ node: Int, _ index: Int, _ zone: Zone) {
        guard Self.isFound(zone, node) else { return }
        add(zone.names.withName(at: node) { Array($0) }, index)
    }

    private mutating func add(_ wire: [UInt8], _ index: Int) {
        if found[index, default: []].insert(wire).inserted { count += 1 }
    }
}
