package import DNSWire

extension Zone {
    /// An index from each name to the nodes whose records lead to it, so that a change finds its dependents without
    /// examining every record with a target.
    ///
    /// It describes the zone at the time it was built. Editors of the zone record separately which nodes have other
    /// targets since.
    package final class TargetIndex: Sendable {
        /// Sorted. Upper half: hash of a target or of an ancestor of it; lower half: the node that has the record. For
        /// a target inside the zone, the apex and the names above it are left out: every node of the zone would lead
        /// there.
        private let entries: [UInt64]
        /// Hash of the apex.
        package let apex: UInt32
        /// Hashes of the apex and of the names above it.
        private let above: Set<UInt32>
        /// Aliases to names of the zone.
        package let aliases: [UInt32]
        /// Nodes with a DNAME.
        package let redirections: [UInt32]
        /// Nodes that delegate to other servers.
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

        /// Whether the name with this hash is at or above the apex, so that every node with a target may lead below it.
        func isAbove(_ hash: UInt32) -> Bool { above.contains(hash) }

        /// The nodes that lead to the name with this hash or below it. Collisions may add others.
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
    /// Whether aliases to names that do not exist are left to the resolver. Each such reply contains the SOA, which
    /// changes with every record change, and there are too many of them to render again each time.
    package var leavesAliasEnds: Bool { dependents.isEdited && dependents.targets.aliases.count > Self.manyAliases }

    static let manyAliases = 1_024
}

extension RecordType {
    /// Offset in the RDATA of the target name whose data a reply may contain; `nil` if there is none.
    package var hostOffset: Int? {
        switch self {
        case .cname, .ns: 0
        case .mx, .svcb, .https: 2
        case .srv: 6
        default: nil
        }
    }
}
