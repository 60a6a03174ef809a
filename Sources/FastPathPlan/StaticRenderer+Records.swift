import CFastPathABI
import DNSWire
import Resolution
import Zones

/// Renders CNAME, TXT, MX, HTTPS and SVCB replies in parts.
extension StaticRenderer {
    /// Alias replies that many names share.
    final class AliasCache {
        fileprivate struct Key: Hashable {
            let pool: String
            let policy: String
            let table: Int
            let isByView: Bool
            /// Number of bytes that the name has in common with each host. The reply depends on nothing else of the
            /// name.
            let common: [UInt8]
        }

        fileprivate var replies: [Key: (hosts: [Int: [UInt8]], reply: ComposedReply)] = [:]
        /// Number of replies that may still be rendered. It bounds the time that a configuration can take.
        private var budget = 1 << 18

        /// Whether that many more replies may be rendered.
        func take(_ count: Int) -> Bool {
            budget -= count
            return budget >= 0
        }
    }

    /// For each node, the reply with its alias to queries at a name (in lower case) for the alias alone; also to other
    /// types, if no host is in a zone served here. `nil` if user space must answer.
    func alias(_ records: TailoredRecords, _ wire: [UInt8]) -> ComposedReply? {
        guard case .alias(let chain, let hosts) = records.content, chain.isPlain else { return nil }
        let slots = hosts.keys.sorted()
        guard let common = Self.common(wire, slots.map { hosts[$0] ?? [] }) else {
            return alias(records, wire, .cname)
        }
        let key = AliasCache.Key(
            pool: records.pool, policy: records.policy, table: chain.table, isByView: !records.views.isEmpty,
            common: common)
        if let known = aliases.replies[key], known.hosts == hosts, Self.isSame(known.reply.rule, records.rule) {
            return known.reply
        }
        guard let reply = alias(records, wire, .cname) else { return nil }
        aliases.replies[key] = (hosts, reply)
        return reply
    }

    /// The same for queries of a type that is looked up at the alias's target.
    func alias(_ records: TailoredRecords, _ wire: [UInt8], _ type: RecordType) -> ComposedReply? {
        byNode(records) { render(wire, type, deciding: $0) }
    }

    /// For each node, the reply that `render` gives for its records: an alias, TXT or MX. `nil` if the answer combines
    /// nodes.
    func byNode(_ records: TailoredRecords, render: (TailoredRRset) -> RenderedReply?) -> ComposedReply? {
        guard let (type, chain, data) = records.choice.byNode, chain.isPlain, aliases.take(data.count) else {
            return nil
        }
        let replies = data.compactMapValues { data -> RenderedReply? in
            let reply = render(TailoredRRset(type: type, data: data, ttl: 0, scope: 0))
            // The program fills in the TTL of that many records at most.
            return type == .cname || reply.map { $0.counts[0] <= NC_MAX_SET_RECORDS } == true ? reply : nil
        }
        return ComposedReply(
            rule: records.rule, isByView: !records.views.isEmpty,
            content: .byNode(table: chain.table, replies: replies))
    }

    /// An HTTPS or SVCB record at a node of a zone, with its owner's addresses; `nil` if these are more than its hints.
    func binding(_ records: TailoredRecords, _ zone: Zone, _ node: Int, _ name: LookupName) -> ComposedReply? {
        guard case .binding(let type, let v4, let v6, let prefix) = records.content,
            [v4, v6].contains(where: { $0 != nil }), [v4, v6].allSatisfy({ $0?.isPlain ?? true })
        else { return nil }
        var isByView = !records.views.isEmpty
        var hasAddresses = false
        if let index = resolver.tailoredIndex(of: name.suffix(0)) {
            let addresses = resolver.model.tailored[index]
            // With more labels, the owner would not be compressed to a pointer to the question's name.
            guard addresses.choice.v4 == v4, addresses.choice.v6 == v6, Self.isSame(addresses.rule, records.rule),
                name.labelCount <= 8
            else { return nil }
            isByView = isByView || !addresses.views.isEmpty
            hasAddresses = true
        } else if zone.rrset(at: node, .a) != nil || zone.rrset(at: node, .aaaa) != nil {
            return nil
        }
        return ComposedReply(
            rule: records.rule, isByView: isByView,
            content: .binding(type: type, prefix: prefix, v4: v4?.table, v6: v6?.table, hasAddresses: hasAddresses))
    }

    /// The number of bytes, in whole labels from the end, that a name (in lower case) has in common with each host.
    /// `nil` if that does not determine their compression: with a host at or below the name, or with more labels than
    /// the writer remembers.
    private static func common(_ wire: [UInt8], _ hosts: [[UInt8]]) -> [UInt8]? {
        var starts: [Int] = []
        var position = 0
        while wire[position] != 0 {
            starts.append(position)
            position += 1 + Int(wire[position])
        }
        var common: [UInt8] = []
        common.reserveCapacity(hosts.count)
        for host in hosts {
            var length = 1
            for (labels, start) in starts.reversed().enumerated() {
                let suffix = wire[start...]
                guard suffix.count <= host.count,
                    zip(suffix, host.suffix(suffix.count)).allSatisfy({ $0 == DomainName.lowercased($1) }),
                    beginsLabel(host, host.count - suffix.count)
                else { break }
                guard labels < 8, start > 0 else { return nil }
                length = suffix.count
            }
            common.append(UInt8(length))
        }
        return common
    }

    /// Whether a label of a name begins at this offset.
    private static func beginsLabel(_ wire: [UInt8], _ place: Int) -> Bool {
        var position = 0
        while position < place { position += 1 + Int(wire[position]) }
        return position == place
    }

    private static func isSame(_ left: nc_rule, _ right: nc_rule) -> Bool {
        withUnsafeBytes(of: left) { left in withUnsafeBytes(of: right) { left.elementsEqual($0) } }
    }
}

extension SteeringChain {
    /// Whether the program can use the first table, as long as that has a usable node.
    var isPlain: Bool { !steps[0].isOverlay }
}
