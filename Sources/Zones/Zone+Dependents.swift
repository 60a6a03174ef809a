import DNSWire

extension Zone {
    /// Which names have replies that contain data of other names. A change elsewhere may change these replies too.
    package struct Dependents: Sendable {
        /// Nodes whose records name hosts whose data a reply may contain: aliases, and types with additional data.
        var referrers = PatchedArray<UInt32>()
        /// Nodes in the branches directly below the apex that contain the names of the SOA. Their negative replies are
        /// rendered separately.
        package internal(set) var nearSOA = PatchedArray<UInt32>()
        /// Index of the targets, except those of `moved` nodes.
        package private(set) var targets: TargetIndex
        package private(set) var moved: Set<UInt32> = []
        /// Whether the zone was derived from another by record changes.
        var isEdited = false
        /// Number of nodes that no longer have a name.
        var removed = 0
        /// Bytes of data and of RRsets that no node refers to.
        var garbage = 0

        init(
            _ apex: DomainName, _ names: PatchedNames, _ nodes: PatchedArray<Node>, _ rrsets: PatchedArray<RRset>,
            _ soa: RRset, _ data: PatchedBytes
        ) {
            let branches = Self.branches(of: soa, data, below: apex.lowercasedWire)
            var (referrers, nearSOA): ([UInt32], [UInt32]) = ([], [])
            for node in nodes.indices {
                if nodes[node].rrsets.contains(where: { Self.refers(rrsets[Int($0)].type) }) {
                    referrers.append(UInt32(node))
                }
                if names.withName(at: node, { Self.isUnder(branches, $0) }) { nearSOA.append(UInt32(node)) }
            }
            self.referrers = PatchedArray(referrers)
            self.nearSOA = PatchedArray(nearSOA)
            targets = TargetIndex(apex, referrers, nodes, rrsets, data)
        }

        /// Maximum number of moved nodes. Every change examines all of them.
        private static let movedLimit = 4_096

        /// Notes that the targets of a node changed.
        mutating func move(_ node: Int, isNew: Bool) {
            if isNew { referrers.append(UInt32(node)) }
            moved.insert(UInt32(node))
        }

        /// Rebuilds the index of targets when many nodes have moved.
        mutating func indexTargets(
            _ apex: DomainName, _ nodes: PatchedArray<Node>, _ rrsets: PatchedArray<RRset>, _ data: PatchedBytes
        ) {
            guard moved.count > Self.movedLimit else { return }
            targets = TargetIndex(apex, referrers, nodes, rrsets, data)
            moved = []
        }

        /// Calls `body` with every node that may lead to the name with this hash; with `orBelow`, also to names below
        /// it.
        package func forEach(leadingTo hash: UInt32, orBelow: Bool, _ body: (Int) -> Void) {
            if orBelow, targets.isAbove(hash) {
                for node in referrers { body(Int(node)) }
            } else {
                for node in targets.nodes(leadingTo: hash) { body(node) }
                for node in moved { body(Int(node)) }
            }
        }

        static func refers(_ type: RecordType) -> Bool {
            switch type {
            case .cname, .dname, .ns, .mx, .srv, .svcb, .https: true
            default: false
            }
        }

        /// The names directly below `apex` whose branches contain the names of an SOA.
        static func branches(of soa: RRset, _ data: PatchedBytes, below apex: [UInt8]) -> [[UInt8]] {
            let record = data.withBytes(Int(soa.data.lowerBound) + 2..<Int(soa.data.upperBound)) { Array($0) }
            var branches: [[UInt8]] = []
            var rest = record[...]
            for _ in 0..<2 {
                guard let length = rest.withUnsafeBytes({ DomainName.wireLength(in: $0, at: 0) }) else { break }
                let host = rest.prefix(length).map(DomainName.lowercased)
                if let branch = Zone.branch(of: host, below: apex), !branches.contains(branch) {
                    branches.append(branch)
                }
                rest = rest.dropFirst(length)
            }
            return branches
        }

        /// Whether a name is in one of the `branches`.
        static func isUnder(_ branches: [[UInt8]], _ wire: UnsafeRawBufferPointer) -> Bool {
            branches.contains { branch in
                // Most names differ in the first two bytes.
                let start = wire.count - branch.count
                guard start >= 0, branch.count > 1, wire[start] == branch[0], wire[start + 1] == branch[1],
                    wire.suffix(branch.count).elementsEqual(branch)
                else { return false }
                // The suffix is equal; it must also begin at a label.
                var position = 0
                while position < start { position += 1 + Int(wire[position]) }
                return position == start
            }
        }
    }
    /// The name directly below `apex` that is `name` or an ancestor of it.
    package static func branch(of name: [UInt8], below apex: [UInt8]) -> [UInt8]? {
        var rest = name[...]
        while rest.count > apex.count {
            let next = rest.dropFirst(1 + Int(rest[rest.startIndex]))
            if next.elementsEqual(apex) { return Array(rest) }
            rest = next
        }
        return nil
    }
}
