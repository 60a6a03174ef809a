package import DNSWire

extension Zone {
    /// Which nodes have records that lead to a name: what changes with it is found without a look at all that lead anywhere.
    ///
    /// It is of the zone as it was when this was made. Whoever changes a zone keeps account of nodes that lead elsewhere since.
    package final class Leads: Sendable {
        /// Hash of a name that a record leads to or below, above the node that has the record; in order. Names at and above the
        /// zone's own apex are left out, but where a record leads to the very name: all of the zone lead there.
        private let entries: [UInt64]
        /// Hash of the apex.
        package let apex: UInt32
        /// Of it, and of what is above it.
        private let above: Set<UInt32>
        /// Aliases to names of the zone.
        package let aliases: [UInt32]
        /// Nodes with a DNAME.
        package let redirections: [UInt32]
        /// Nodes with other servers.
        package let delegations: [UInt32]

        init(
            _ apex: DomainName, _ referrers: some Sequence<UInt32>, _ nodes: PatchedArray<Node>,
            _ rrsets: PatchedArray<RRset>, _ data: PatchedBytes
        ) {
            var (entries, aliases, redirections): ([UInt64], [UInt32], [UInt32]) = ([], [], [])
            var delegations: [UInt32] = []
            let own = apex.lowercasedWire
            (self.apex, above) = LookupName.withScratch { host in
                own.withUnsafeBytes { host.load($0) }
                let (depth, key) = (host.labelCount, host.hash(0))
                let above = Set((0...depth).map { host.hash($0) })
                for node in referrers {
                    for index in nodes[Int(node)].rrsets {
                        let set = rrsets[Int(index)]
                        if set.type == .dname { redirections.append(node) }
                        if set.type == .ns, node != 0 { delegations.append(node) }
                        guard let offset = set.type.hostOffset else { continue }
                        data.withBytes(Int(set.data.lowerBound)..<Int(set.data.upperBound)) { data in
                            forEachData(data) { record in
                                guard let length = DomainName.wireLength(in: record, at: offset) else { return }
                                host.load(UnsafeRawBufferPointer(rebasing: record[offset..<offset + length]))
                                let below = host.labelCount - depth
                                let isInside =
                                    below >= 0 && host.hash(below) == key && host.suffix(below).elementsEqual(own)
                                if isInside, set.type == .cname { aliases.append(node) }
                                for label in 0..<max(isInside ? below : host.labelCount, 1) {
                                    entries.append(UInt64(host.hash(label)) << 32 | UInt64(node))
                                }
                            }
                        }
                    }
                }
                return (key, above)
            }
            entries.sort()
            (self.entries, self.aliases, self.redirections) = (entries, aliases, redirections)
            self.delegations = delegations
        }

        /// Whether all nodes that lead anywhere may lead to the name of a hash.
        func isAbove(_ hash: UInt32) -> Bool { above.contains(hash) }

        /// The nodes that lead to the name of a hash, or below it, and perhaps others.
        func nodes(leadingTo hash: UInt32) -> some Sequence<Int> {
            var (low, high) = (0, entries.count)
            let first = UInt64(hash) << 32
            while low < high {
                let middle = (low + high) / 2
                if entries[middle] < first { low = middle + 1 } else { high = middle }
            }
            return entries[low...].lazy.prefix { $0 >> 32 == UInt64(hash) }.map { Int($0 & 0xffff_ffff) }
        }
    }
}

extension Zone {
    /// Whether what lies at the end of aliases, and is not there, is left to the resolver: each such reply has the SOA, which every
    /// change of a record changes, and there are too many of them to be told anew each time.
    package var leavesAliasEnds: Bool { dependents.isEdited && dependents.leads.aliases.count > Self.manyAliases }

    static let manyAliases = 1_024
}

extension RecordType {
    /// Where in the RDATA the name stands that a reply may hold data of; `nil` for none.
    package var hostOffset: Int? {
        switch self {
        case .cname, .ns: 0
        case .mx, .svcb, .https: 2
        case .srv: 6
        default: nil
        }
    }
}
