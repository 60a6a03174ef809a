import DNSWire
import Resolution
import Zones

/// Names that a tailored wildcard covers.
extension ZoneNames {
    /// The answers below `encloser`, whose wildcard is tailored. The data that the zone has there are the same for every
    /// client.
    func tailored(at wildcard: Int, below encloser: [UInt8]) -> StaticAnswers {
        let node = zone.nodes[wildcard]
        let wire = zone.names.withName(at: wildcard) { Array($0) }
        let (addresses, records) = LookupName.withScratch { name in
            wire.withUnsafeBytes { name.load($0) }
            return (renderer.addresses(at: name), renderer.records(at: name))
        }
        if let alias = records.first, case .alias(_, let hosts) = alias.content {
            return aliased(alias, hosts, below: encloser)
        }
        let types = node.rrsets.map { zone.rrsets[Int($0)].type }.filter { !$0.isMeta }
        let replies = types.map { StaticAnswers.Typed(type: $0, reply: synthesised(encloser, $0)) }
        let tailored = records.map {
            StaticAnswers.Typed(type: $0.type, reply: nil, composed: composed($0, below: encloser))
        }
        return .replies((addresses.map(typed) ?? []) + tailored + replies, other: noData)
    }

    /// The addresses of a wildcard. A family without a node is like any other absent type, unless a view has one.
    private func typed(_ addresses: TailoredName) -> [StaticAnswers.Typed] {
        let families: [(RecordType, SteeringChain?)] = [(.a, addresses.choice.v4), (.aaaa, addresses.choice.v6)]
        let isPlain = families.allSatisfy { $0.1?.isPlain ?? true }
        let composed = ComposedReply(
            rule: addresses.rule, isByView: !addresses.views.isEmpty,
            content: .addresses(v4: addresses.v4, v6: addresses.v6))
        return families.compactMap { type, chain in
            guard chain != nil || !addresses.views.isEmpty else { return nil }
            return StaticAnswers.Typed(type: type, reply: nil, composed: chain != nil && isPlain ? composed : nil)
        }
    }

    /// SRV sets are left to the resolver: their hosts are compressed against the name of the query.
    private func composed(_ records: TailoredRecords, below encloser: [UInt8]) -> ComposedReply? {
        if records.choice.byNode != nil {
            return renderer.byNode(records) { synthesised(encloser, records.type, deciding: $0) }
        }
        guard case .binding(let type, let v4, let v6, let prefix) = records.content,
            [v4, v6].contains(where: { $0 != nil }), [v4, v6].allSatisfy({ $0?.isPlain ?? true })
        else { return nil }
        // The resolver adds no addresses of synthesised names.
        return ComposedReply(
            rule: records.rule, isByView: !records.views.isEmpty,
            content: .binding(type: type, prefix: prefix, v4: v4?.table, v6: v6?.table, hasAddresses: false))
    }

    /// An alias to a chosen node. Signatures and denials at the alias are left to the resolver.
    private func aliased(
        _ records: TailoredRecords, _ hosts: [Int: [UInt8]], below encloser: [UInt8]
    ) -> StaticAnswers {
        let own = [RecordType.rrsig, .nsec].map { StaticAnswers.Typed(type: $0, reply: nil) }
        let alias = renderer.byNode(records) { synthesised(encloser, .cname, deciding: $0) }
        guard hosts.values.contains(where: { leads($0) }) else { return .alias(own, other: alias) }
        let followed = [RecordType.a, .aaaa, .https].map { type in
            StaticAnswers.Typed(
                type: type, reply: nil,
                composed: renderer.byNode(records) { synthesised(encloser, type, deciding: $0) })
        }
        return .alias(own + [.init(type: .cname, reply: nil, composed: alias)] + followed, other: nil)
    }
}
