import DNSWire

extension Zone {
    /// A name that differs between two versions of a zone.
    package struct Difference {
        /// In lower case.
        package let wire: [UInt8]
        /// Its nodes; `nil` if the name does not exist in that version.
        package let before: Int?
        package let after: Int?
    }

    /// The names that differ between two versions of a zone; `nil` if there are more than `limit`.
    package static func differences(from before: Zone, to after: Zone, limit: Int) -> [Difference]? {
        var found: [Difference] = []
        var known = 0
        for node in after.nodes.indices where !after.nodes[node].isRemoved {
            let old = before.names.find(nameAt: node, of: after.names)
            if let old {
                known += 1
                if isSame(before, old, after, node) { continue }
            }
            found.append(Difference(wire: after.names.withName(at: node) { Array($0) }, before: old, after: node))
            guard found.count <= limit else { return nil }
        }
        guard known < before.nameCount else { return found }
        for node in before.nodes.indices where !before.nodes[node].isRemoved {
            guard after.names.find(nameAt: node, of: before.names) == nil else { continue }
            found.append(Difference(wire: before.names.withName(at: node) { Array($0) }, before: node, after: nil))
            guard found.count <= limit else { return nil }
        }
        return found
    }

    /// The given names with their nodes in both versions.
    package static func differences(from before: Zone, to after: Zone, at names: Set<[UInt8]>) -> [Difference] {
        LookupName.withScratch { name in
            names.sorted { $0.lexicographicallyPrecedes($1) }.map { wire in
                wire.withUnsafeBytes { name.load($0) }
                return Difference(
                    wire: wire, before: before.names.find(name, from: 0), after: after.names.find(name, from: 0))
            }
        }
    }

    private static func isSame(_ before: Zone, _ old: Int, _ after: Zone, _ new: Int) -> Bool {
        let (first, second) = (before.nodes[old], after.nodes[new])
        guard first.isTailored == second.isTailored, first.isHashedOwner == second.isHashedOwner,
            first.rrsets.count == second.rrsets.count
        else { return false }
        for (left, right) in zip(first.rrsets, second.rrsets)
        where !isSame(before, before.rrsets[Int(left)], after, after.rrsets[Int(right)]) {
            return false
        }
        return true
    }

    package static func isSame(_ before: Zone, _ old: RRset, _ after: Zone, _ new: RRset) -> Bool {
        guard old.type == new.type, old.ttl == new.ttl, old.data.count == new.data.count else { return false }
        return before.withData(old) { left in after.withData(new) { left.elementsEqual($0) } }
    }
}
