import DNSWire
import Resolution
import Zones

/// The names of a zone with their static answers.
///
/// The reply at an existing name is rendered directly. The reply for names that do not exist is rendered for one of
/// them. It holds for all of them, except for the offsets after the question, unless a query name shares more labels
/// with a name in the reply than with the closest encloser: then compression would differ. An existing name in the
/// reply is safe, because a query name that shares more labels with it has another closest encloser. In all other
/// cases, the resolver answers.
struct ZoneNames {
    let zone: Zone
    let renderer: StaticRenderer
    /// Whether other zones may lie inside this one.
    private let hasNested: Bool
    let noData: RenderedReply?
    private let noName: RenderedReply?
    /// The names directly below the apex whose branches contain the names of the SOA.
    private let soaBranches: Set<[UInt8]>

    init(_ zone: Zone, _ renderer: StaticRenderer, hasNested: Bool) {
        self.zone = zone
        self.renderer = renderer
        self.hasNested = hasNested
        let apex = zone.apex.lowercasedWire
        let branches = Set(zone.hosts(in: zone.soa).compactMap { Zone.branch(of: $0, below: apex) })
        // An SOA has two names, so at least one of three candidates is free.
        let free = (0..<3).map { [1, $0] + apex }.first { !branches.contains($0) } ?? apex
        soaBranches = branches
        noData = renderer.negative(zone, .noError, at: free)
        noName = renderer.negative(zone, .nxDomain, at: free)
    }

    /// The negative replies that the zone's names share.
    var replies: StaticZone { StaticZone(apex: zone.apex.lowercasedWire, noData: noData, noName: noName) }

    /// Whether a name belongs to this zone, rather than to one inside it.
    func isOwn(_ wire: [UInt8]) -> Bool {
        guard hasNested else { return true }
        return LookupName.withScratch { name in
            wire.withUnsafeBytes { name.load($0) }
            return renderer.zone(of: name) === zone
        }
    }

    /// Whether the zone contains a name, including names that queries do not find.
    func has(_ wire: [UInt8]) -> Bool {
        LookupName.withScratch { name in
            wire.withUnsafeBytes { name.load($0) }
            return zone.names.find(name, from: 0) != nil
        }
    }

    /// The static answers at and below a name; `nil` if the table has no entry for it.
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

    /// Leaves a name that the zone does not list, and all names below it, to the resolver, unless it belongs to another
    /// zone.
    private func leave(_ wire: [UInt8], _ name: LookupName, _ body: (StaticName) -> Void) {
        guard !hasNested || renderer.zone(of: name) === zone else { return }
        body(StaticName(wire: wire, own: .left, below: .left))
    }

    /// The name of a node if queries reach it in this zone. Also loads it into `name`.
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
        // For DS at an apex, the parent zone answers if it is served here.
        let apex = node == 0 ? [StaticAnswers.Typed(type: .ds, reply: nil)] : []
        let records = renderer.records(at: name)
        if let alias = records.first, case .alias = alias.content { return aliased(alias, wire) }
        if zone.isDelegation(node) {
            return .replies([typed(wire, .ds)], other: reply(wire, .a))
        }
        if let alias = zone.rrset(at: node, .cname) { return aliased(node, wire, alias) }
        let types = zone.nodes[node].rrsets.map { zone.rrsets[Int($0)].type }.filter { !$0.isMeta }
        let tailored = records.map { composed($0, node, wire, name) }
        let absent = node != 0 && isInSOABranch(wire) ? reply(wire, Self.type(absentFrom: types)) : noData
        return .replies(apex + tailored + types.map { typed(wire, $0) }, other: absent)
    }

    /// A private-use type (RFC 6895, section 3.1) that is not in `types`.
    private static func type(absentFrom types: [RecordType]) -> RecordType {
        (65_280...65_534).lazy.map { RecordType(rawValue: $0) }.first { !types.contains($0) } ?? .any
    }

    private func typed(_ wire: [UInt8], _ type: RecordType) -> StaticAnswers.Typed {
        StaticAnswers.Typed(type: type, reply: reply(wire, type))
    }

    private func reply(_ wire: [UInt8], _ type: RecordType) -> RenderedReply? {
        renderer.render(wire, type)?.fixed(nameLength: wire.count)
    }

    /// If the alias's target is served here, the alias is followed, and each type has its own reply.
    private func aliased(_ node: Int, _ wire: [UInt8], _ alias: Zone.RRset) -> StaticAnswers {
        let leadsOn = zone.hosts(in: alias).contains { leads($0) }
        let own: [RecordType] = [.cname, .rrsig, .nsec]
        let followed: [RecordType] = leadsOn ? [.a, .aaaa, .https] : []
        // RRSIG and NSEC are data about an alias, which is not followed for them. If absent, the reply is an ordinary
        // NODATA.
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

    /// An alias to a chosen node, followed like any other.
    private func aliased(_ records: TailoredRecords, _ wire: [UInt8]) -> StaticAnswers {
        guard case .alias(_, let hosts) = records.content else { return .left }
        // A composed alias has no RRSIG or NSEC.
        let isPlain = !zone.isSigned && noData != nil && !isInSOABranch(wire)
        let own = [RecordType.rrsig, .nsec].map {
            isPlain ? StaticAnswers.Typed(type: $0, reply: noData, isShared: true) : typed(wire, $0)
        }
        let alias = renderer.alias(records, wire)
        guard hosts.values.contains(where: { leads($0) }) else { return .alias(own, other: alias) }
        let followed = [RecordType.a, .aaaa, .https].map {
            StaticAnswers.Typed(type: $0, reply: nil, composed: renderer.alias(records, wire, $0))
        }
        return .alias(own + [.init(type: .cname, reply: nil, composed: alias)] + followed, other: nil)
    }

    /// Tailored records at a name with other data.
    private func composed(
        _ records: TailoredRecords, _ node: Int, _ wire: [UInt8], _ name: LookupName
    ) -> StaticAnswers.Typed {
        let composed: ComposedReply? =
            switch records.content {
            case .services: renderer.services(records, wire)
            case .texts, .exchanges: renderer.byNode(records) { renderer.render(wire, records.type, deciding: $0) }
            case .binding: renderer.binding(records, zone, node, name)
            case .alias: nil
            }
        return StaticAnswers.Typed(type: records.type, reply: nil, composed: composed)
    }

    func leads(_ target: [UInt8]) -> Bool {
        LookupName.withScratch { name in
            target.withUnsafeBytes { name.load($0) }
            return renderer.zone(of: name) != nil && !renderer.isTailored(name)
        }
    }

    // MARK: - Names below that do not exist

    private func below(_ node: Int, _ wire: [UInt8]) -> StaticAnswers {
        // The names of servers below the delegation are handled by `guardServers`.
        if zone.isDelegation(node) { return .replies([], other: alike(wire, .a)) }
        guard zone.nodes[node].boundary < 0, node == 0 || !isInSOABranch(wire) else { return .left }
        let wildcard = Int(zone.nodes[node].wildcard)
        return wildcard < 0 ? .replies([], other: noName) : synthesised(at: wildcard, below: wire)
    }

    private func synthesised(at wildcard: Int, below encloser: [UInt8]) -> StaticAnswers {
        let node = zone.nodes[wildcard]
        guard node.boundary < 0 else { return .left }
        if node.isTailored { return tailored(at: wildcard, below: encloser) }
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

    /// The types for which a wildcard's alias to a name served here is followed.
    private static let followed: [RecordType] = [.cname, .a, .aaaa, .https, .svcb, .txt, .mx, .srv]

    /// The reply for names below `encloser`, if it is the same for all of them. That is checked by what its names are
    /// compressed against, and by rendering it for a short and a long name.
    ///
    /// - Parameter set: the result to assume for tailored records.
    func synthesised(_ encloser: [UInt8], _ type: RecordType, deciding set: TailoredRRset? = nil) -> RenderedReply? {
        let isSafe = renderer.allNames([1, 0] + encloser, type, deciding: set) { isApart($0, $1, from: encloser) }
        return isSafe ? alike(encloser, type, deciding: set) : nil
    }

    /// Whether no query name with the closest encloser `encloser` shares more labels with `name` than with `encloser`,
    /// and whether a later change that breaks this is detected.
    ///
    /// - Parameter type: the type whose RDATA contains `name`; `nil`: an owner, to which one of the types below led.
    private func isApart(_ name: [UInt8], _ type: RecordType?, from encloser: [UInt8]) -> Bool {
        guard Zone.branch(of: name, below: encloser) != nil else { return true }
        if isInSOABranch(name) { return true }
        // For other types, the removal of the name would not be detected.
        guard type.map({ $0.hostOffset != nil }) ?? true else { return false }
        return LookupName.withScratch { scratch in
            name.withUnsafeBytes { scratch.load($0) }
            guard zone.lists(scratch), let node = zone.names.find(scratch, from: 0) else { return false }
            return !zone.nodes[node].rrsets.isEmpty || zone.nodes[node].isTailored
        }
    }

    /// The reply to a short and to a long name below `encloser`, if both agree.
    private func alike(
        _ encloser: [UInt8], _ type: RecordType, deciding set: TailoredRRset? = nil
    ) -> RenderedReply? {
        let short = renderer.render([1, 0] + encloser, type, deciding: set)
        let long = Array(repeating: [1, 0] as [UInt8], count: 9).flatMap { $0 } + encloser
        guard let short, long.count <= DomainName.maximumLength,
            renderer.render(long, type, deciding: set) == short
        else { return nil }
        return short
    }

    /// Leaves the servers below a delegation to the resolver: clients query these names after following its glue.
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
    /// Whether a name other than the apex is delegated.
    fileprivate func isDelegation(_ node: Int) -> Bool {
        node != 0 && Int(nodes[node].boundary) == node && rrset(at: node, .ns) != nil
    }

    /// The names in an RRset's RDATA that may be compressed, in lower case.
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
