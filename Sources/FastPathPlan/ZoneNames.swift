import DNSWire
import Resolution
import Zones

/// The names of a zone with what every client gets there.
///
/// A reply to a name that exists is rendered. Replies to names that do not exist are rendered for one of them, and are the same
/// for all but for the place where the question ends, as long as none of the names asked for shares more with a name in the reply
/// than the closest encloser: it would be compressed against that. A name in the reply that exists is safe: whatever shares more
/// with it has another closest encloser. Where there are others, the resolver answers.
struct ZoneNames {
    private let zone: Zone
    private let renderer: StaticRenderer
    /// Whether other zones may lie inside this one.
    private let hasNested: Bool
    private let noData: RenderedReply?
    private let noName: RenderedReply?
    /// Names directly below the apex under which the SOA's names lie.
    private let soaBranches: Set<[UInt8]>

    init(_ zone: Zone, _ renderer: StaticRenderer, hasNested: Bool) {
        self.zone = zone
        self.renderer = renderer
        self.hasNested = hasNested
        let apex = zone.apex.lowercasedWire
        let branches = Set(zone.hosts(in: zone.soa).compactMap { Zone.branch(of: $0, below: apex) })
        // An SOA has two names: one of three is free.
        let free = (0..<3).map { [1, $0] + apex }.first { !branches.contains($0) } ?? apex
        soaBranches = branches
        noData = renderer.negative(zone, .noError, at: free)
        noName = renderer.negative(zone, .nxDomain, at: free)
    }

    /// What names of the zone share.
    var replies: StaticZone { StaticZone(apex: zone.apex.lowercasedWire, noData: noData, noName: noName) }

    /// Whether a name is this zone's, rather than one's inside it.
    func isOwn(_ wire: [UInt8]) -> Bool {
        guard hasNested else { return true }
        return LookupName.withScratch { name in
            wire.withUnsafeBytes { name.load($0) }
            return renderer.zone(of: name) === zone
        }
    }

    /// Whether the zone has a name, be it one that queries do not find.
    func has(_ wire: [UInt8]) -> Bool {
        LookupName.withScratch { name in
            wire.withUnsafeBytes { name.load($0) }
            return zone.names.find(name, from: 0) != nil
        }
    }

    /// What every client gets at a name or below it; `nil` for one that the table does not have.
    func name(_ wire: [UInt8]) -> StaticName? {
        LookupName.withScratch { name in
            wire.withUnsafeBytes { name.load($0) }
            if let node = zone.names.find(name, from: 0), let wire = self.wire(of: node, &name) {
                return StaticName(wire: wire, own: own(node, wire, name), below: below(node, wire))
            }
            var left: StaticName?
            if soaBranches.contains(wire), !zone.lists(name) { leave(wire, name) { left = $0 } }
            return left
        }
    }

    func forEach(_ body: (StaticName) -> Void) {
        LookupName.withScratch { name in
            for node in zone.nodes.indices {
                guard let wire = wire(of: node, &name) else { continue }
                body(StaticName(wire: wire, own: own(node, wire, name), below: below(node, wire)))
                if zone.isDelegation(node) { guardServers(of: node, wire, body) }
            }
            for branch in soaBranches.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
                branch.withUnsafeBytes { name.load($0) }
                if !zone.lists(name) { leave(branch, name, body) }
            }
        }
    }

    /// Leaves a name that the zone does not list, and all below it, unless it is another zone's.
    private func leave(_ wire: [UInt8], _ name: LookupName, _ body: (StaticName) -> Void) {
        guard !hasNested || renderer.zone(of: name) === zone else { return }
        body(StaticName(wire: wire, own: .left, below: .left))
    }

    /// The name of a node, if queries reach it here; loads it too.
    private func wire(of node: Int, _ name: inout LookupName) -> [UInt8]? {
        let boundary = Int(zone.nodes[node].boundary)
        guard boundary < 0 || boundary == node, !zone.nodes[node].isHashedOwner, !zone.nodes[node].isRemoved
        else { return nil }
        let wire = zone.names.withName(at: node) { Array($0) }
        wire.withUnsafeBytes { name.load($0) }
        return hasNested && renderer.zone(of: name) !== zone ? nil : wire
    }

    private func isInSOABranch(_ wire: [UInt8]) -> Bool {
        Zone.branch(of: wire, below: zone.apex.lowercasedWire).map(soaBranches.contains) ?? false
    }

    // MARK: - The name itself

    private func own(_ node: Int, _ wire: [UInt8], _ name: LookupName) -> StaticAnswers {
        // The parent answers for DS at an apex, where it is served.
        let apex = node == 0 ? [StaticAnswers.Typed(type: .ds, reply: nil)] : []
        let records = renderer.records(at: name)
        if let records, case .alias = records.content { return aliased(records, wire) }
        if zone.isDelegation(node) {
            return .replies([typed(wire, .ds)], other: reply(wire, .a))
        }
        if let alias = zone.rrset(at: node, .cname) { return aliased(node, wire, alias) }
        let types = zone.nodes[node].rrsets.map { zone.rrsets[Int($0)].type }.filter { !$0.isMeta }
        let tailored = records.map { [made($0, node, wire, name)] } ?? []
        let absent = node != 0 && isInSOABranch(wire) ? reply(wire, Self.type(absentFrom: types)) : noData
        return .replies(apex + tailored + types.map { typed(wire, $0) }, other: absent)
    }

    /// A type of private use (RFC 6895, section 3.1) that is none of `types`.
    private static func type(absentFrom types: [RecordType]) -> RecordType {
        (65_280...65_534).lazy.map { RecordType(rawValue: $0) }.first { !types.contains($0) } ?? .any
    }

    private func typed(_ wire: [UInt8], _ type: RecordType) -> StaticAnswers.Typed {
        StaticAnswers.Typed(type: type, reply: reply(wire, type))
    }

    private func reply(_ wire: [UInt8], _ type: RecordType) -> RenderedReply? {
        renderer.render(wire, type)?.fixed(nameLength: wire.count)
    }

    /// An alias is followed where its target is served here, and then there are as many replies as types.
    private func aliased(_ node: Int, _ wire: [UInt8], _ alias: Zone.RRset) -> StaticAnswers {
        let leadsOn = zone.hosts(in: alias).contains { leads($0) }
        let own: [RecordType] = [.cname, .rrsig, .nsec]
        let followed: [RecordType] = leadsOn ? [.a, .aaaa, .https] : []
        // They are about an alias and not followed: where they are missing the zone says so as of any name.
        let isPlain = !zone.isSigned && noData != nil && !isInSOABranch(wire)
        return .replies(
            (own + followed).map { type in
                isPlain && (type == .rrsig || type == .nsec) && zone.rrset(at: node, type) == nil
                    ? .init(type: type, reply: noData, isShared: true)
                    : .init(type: type, reply: aliasEnd(reply(wire, type)))
            }, other: leadsOn ? nil : reply(wire, .a))
    }

    /// The reply at the end of an alias, unless that is left to the resolver.
    private func aliasEnd(_ reply: RenderedReply?) -> RenderedReply? {
        guard zone.leavesAliasEnds, reply?.verdict == .noData || reply?.verdict == .nxDomain else { return reply }
        return nil
    }

    /// An alias to a node that is chosen, followed as any other.
    private func aliased(_ records: TailoredRecords, _ wire: [UInt8]) -> StaticAnswers {
        guard case .alias(_, let hosts) = records.content else { return .left }
        // They are not the alias's: there are none.
        let isPlain = !zone.isSigned && noData != nil && !isInSOABranch(wire)
        let own = [RecordType.rrsig, .nsec].map {
            isPlain ? StaticAnswers.Typed(type: $0, reply: noData, isShared: true) : typed(wire, $0)
        }
        let alias = renderer.alias(records, wire)
        guard hosts.values.contains(where: { leads($0) }) else { return .alias(own, other: alias) }
        let followed = [RecordType.a, .aaaa, .https].map {
            StaticAnswers.Typed(type: $0, reply: nil, made: renderer.alias(records, wire, $0))
        }
        return .alias(own + [.init(type: .cname, reply: nil, made: alias)] + followed, other: nil)
    }

    /// Tailored records that stand beside others.
    private func made(
        _ records: TailoredRecords, _ node: Int, _ wire: [UInt8], _ name: LookupName
    ) -> StaticAnswers.Typed {
        let made: MadeReply? =
            switch records.content {
            case .services: renderer.services(records, wire)
            case .binding: renderer.binding(records, zone, node, name)
            case .alias: nil
            }
        return StaticAnswers.Typed(type: records.type, reply: nil, made: made)
    }

    private func leads(_ target: [UInt8]) -> Bool {
        LookupName.withScratch { name in
            target.withUnsafeBytes { name.load($0) }
            return renderer.zone(of: name) != nil && !renderer.isTailored(name)
        }
    }

    // MARK: - Names below that do not exist

    private func below(_ node: Int, _ wire: [UInt8]) -> StaticAnswers {
        // Names of servers below it are guarded.
        if zone.isDelegation(node) { return .replies([], other: alike(wire, .a)) }
        guard zone.nodes[node].boundary < 0, node == 0 || !isInSOABranch(wire) else { return .left }
        let wildcard = Int(zone.nodes[node].wildcard)
        return wildcard < 0 ? .replies([], other: noName) : synthesised(at: wildcard, below: wire)
    }

    private func synthesised(at wildcard: Int, below encloser: [UInt8]) -> StaticAnswers {
        let node = zone.nodes[wildcard]
        guard node.boundary < 0, !node.isTailored else { return .left }
        if let alias = zone.rrset(at: wildcard, .cname) {
            let own = [RecordType.rrsig, .nsec].map { StaticAnswers.Typed(type: $0, reply: nil) }
            guard zone.hosts(in: alias).contains(where: { leads($0) }) else {
                return .replies(own, other: synthesised(encloser, .a))
            }
            return .replies(
                own + Self.followed.map { .init(type: $0, reply: aliasEnd(synthesised(encloser, $0))) }, other: nil)
        }
        let types = node.rrsets.map { zone.rrsets[Int($0)].type }.filter { !$0.isMeta }
        return .replies(
            types.map { .init(type: $0, reply: synthesised(encloser, $0)) }, other: noData)
    }

    /// Types whose answers by a wildcard's alias are told, where it leads to names served here.
    private static let followed: [RecordType] = [.cname, .a, .aaaa, .https, .svcb, .txt, .mx, .srv]

    /// The reply to names below `encloser`, where it is the same for all of them: by what they are compressed against, and by
    /// being that to a short and to a long one.
    private func synthesised(_ encloser: [UInt8], _ type: RecordType) -> RenderedReply? {
        let isSafe = renderer.allNames([1, 0] + encloser, type) { isApart($0, $1, from: encloser) }
        return isSafe ? alike(encloser, type) : nil
    }

    /// Whether no name whose closest encloser is `encloser` shares more than that with `name`, and whether it is noticed when one
    /// may.
    ///
    /// - Parameter type: whose data it is in; `nil`: an owner, which one of the types below has led to.
    private func isApart(_ name: [UInt8], _ type: RecordType?, from encloser: [UInt8]) -> Bool {
        guard Zone.branch(of: name, below: encloser) != nil else { return true }
        if isInSOABranch(name) { return true }
        // Of others it would not be followed that the name goes.
        guard type.map({ $0.hostOffset != nil }) ?? true else { return false }
        return LookupName.withScratch { scratch in
            name.withUnsafeBytes { scratch.load($0) }
            guard zone.lists(scratch), let node = zone.names.find(scratch, from: 0) else { return false }
            return !zone.nodes[node].rrsets.isEmpty || zone.nodes[node].isTailored
        }
    }

    /// The reply to a short name below `encloser` and to a long one, where they agree.
    private func alike(_ encloser: [UInt8], _ type: RecordType) -> RenderedReply? {
        let short = renderer.render([1, 0] + encloser, type)
        let long = Array(repeating: [1, 0] as [UInt8], count: 9).flatMap { $0 } + encloser
        guard let short, long.count <= DomainName.maximumLength, renderer.render(long, type) == short else {
            return nil
        }
        return short
    }

    /// Servers below a delegation are asked for by those who come back with its glue.
    private func guardServers(of node: Int, _ wire: [UInt8], _ body: (StaticName) -> Void) {
        guard let servers = zone.rrset(at: node, .ns) else { return }
        let branches = Set(zone.hosts(in: servers).compactMap { Zone.branch(of: $0, below: wire) })
        LookupName.withScratch { name in
            for branch in branches.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
                branch.withUnsafeBytes { name.load($0) }
                leave(branch, name, body)
            }
        }
    }
}

extension Zone {
    /// Whether a name other than the apex is given to other servers.
    fileprivate func isDelegation(_ node: Int) -> Bool {
        node != 0 && Int(nodes[node].boundary) == node && rrset(at: node, .ns) != nil
    }

    /// The names in an RRset's records that may be compressed, in lower case.
    fileprivate func hosts(in set: RRset) -> [[UInt8]] {
        guard let layout = set.type.compressibleNames else { return [] }
        return withData(set) { data in
            var hosts: [[UInt8]] = []
            forEachData(data) { record in
                var position = layout.offset
                for _ in 0..<layout.count {
                    guard let length = DomainName.wireLength(in: record, at: position) else { return }
                    hosts.append(record[position..<position + length].map(DomainName.lowercased))
                    position += length
                }
            }
            return hosts
        }
    }
}
