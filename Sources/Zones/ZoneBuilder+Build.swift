import DNSWire

extension ZoneBuilder {
    /// An RRset and the number of its records.
    private struct CountedSet {
        var rrset: Zone.RRset
        var count: Int
    }

    /// The finished parts.
    private struct Layout {
        var nodes: [Zone.Node] = []
        var rrsets: [Zone.RRset] = []
        var data: [UInt8] = []
        /// The RRsets of the current node.
        var sets: [CountedSet] = []

        func count(_ type: RecordType) -> Int { sets.first { $0.rrset.type == type }?.count ?? 0 }
    }

    /// Checks the contents and builds the zone.
    ///
    /// It rejects: any number of SOA records at the apex but one; CNAME with other data, or more than one (RFC 2181,
    /// section 10.1); DNAME with NS below the apex, or more than one (RFC 6672, section 2.4); tailored names with zone
    /// data of the same type or a CNAME; tailored aliases with any zone data; tailored names at or below a delegation,
    /// below a DNAME, or in a signed zone.
    public func build() throws(ZoneError) -> Zone {
        var layout = Layout()
        layout.nodes.reserveCapacity(nodes.count)
        layout.rrsets.reserveCapacity(records.count)
        layout.data.reserveCapacity(data.count + 2 * records.count)
        var (order, starts) = recordsByNode()
        for node in nodes.indices {
            lay(&order[starts[node]..<starts[node + 1]], into: &layout)
            try check(node, layout)
            try finish(node, &layout)
        }
        guard let soa = layout.rrsets[..<Int(layout.nodes[0].rrsets.upperBound)].first(where: { $0.type == .soa })
        else {
            throw ZoneError(name: apex, message: "the zone has no SOA; add one at its apex")
        }
        var names = names
        names.trim()
        let (rrsets, data) = (layout.rrsets.trimmed(), layout.data.trimmed())
        return try Zone(apex: apex, names: names, nodes: layout.nodes, rrsets: rrsets, data: data, soa: soa)
    }

    /// Record numbers grouped by node, in the order they were added, and where each node's group begins. Sorted by
    /// counting.
    private func recordsByNode() -> (order: [UInt32], starts: [Int]) {
        var starts = Array(repeating: 0, count: nodes.count + 1)
        for record in records { starts[Int(record.node) + 1] += 1 }
        for node in nodes.indices { starts[node + 1] += starts[node] }
        var next = starts
        var order = Array(repeating: UInt32(0), count: records.count)
        for (number, record) in records.enumerated() {
            order[next[Int(record.node)]] = UInt32(number)
            next[Int(record.node)] += 1
        }
        return (order, starts)
    }

    /// Lays out the records of one node as RRsets, ordered by type, without duplicates.
    private func lay(_ numbers: inout ArraySlice<UInt32>, into layout: inout Layout) {
        layout.sets.removeAll(keepingCapacity: true)
        if numbers.count > 1 {
            numbers.sort { left, right in
                let (leftType, rightType) = (records[Int(left)].type, records[Int(right)].type)
                return leftType == rightType ? left < right : leftType < rightType
            }
        }
        var position = numbers.startIndex
        while position < numbers.endIndex {
            let type = records[Int(numbers[position])].type
            let end = numbers[position...].firstIndex { records[Int($0)].type != type } ?? numbers.endIndex
            laySet(type, numbers[position..<end], into: &layout)
            position = end
        }
    }

    private func laySet(_ type: RecordType, _ numbers: ArraySlice<UInt32>, into layout: inout Layout) {
        let start = UInt32(layout.data.count)
        var (ttl, count) = (UInt32.max, 0)
        var seen: Set<ArraySlice<UInt8>> = []
        for position in numbers.indices {
            let record = records[Int(numbers[position])]
            ttl = min(ttl, record.ttl)
            // Small sets are compared directly, without allocating.
            if numbers.count > 16 {
                guard seen.insert(data[place(of: record)]).inserted else { continue }
            } else if numbers[..<position].contains(where: { isSame(records[Int($0)], record) }) {
                continue
            }
            layout.data.append(UInt8(record.length >> 8))
            layout.data.append(UInt8(record.length & 255))
            layout.data.append(contentsOf: data[place(of: record)])
            count += 1
        }
        let rrset = Zone.RRset(type: type, ttl: ttl, data: start..<UInt32(layout.data.count))
        layout.rrsets.append(rrset)
        layout.sets.append(CountedSet(rrset: rrset, count: count))
    }

    private func place(of record: Record) -> Range<Int> { Int(record.start)..<Int(record.start) + Int(record.length) }

    private func isSame(_ left: Record, _ right: Record) -> Bool {
        left.length == right.length && data[place(of: left)] == data[place(of: right)]
    }

    /// Adds the current node, whose RRsets were just laid out.
    private func finish(_ index: Int, _ layout: inout Layout) throws(ZoneError) {
        let end = UInt32(layout.rrsets.count)
        let (draft, parent) = (nodes[index], Int(nodes[index].parent))
        var node = Zone.Node(rrsets: end - UInt32(layout.sets.count)..<end)
        node.tailored = draft.tailored
        let delegates = index > 0 && layout.count(.ns) > 0
        let above = index > 0 ? layout.nodes[parent].boundary : -1
        node.boundary = above >= 0 ? above : delegates || layout.count(.dname) > 0 ? Int32(index) : -1
        if draft.isTailored, above >= 0 || delegates {
            throw ZoneError(
                name: name(index),
                message:
                    "a tailored name lies at or below \(name(Int(node.boundary))), where the zone ends; remove the NS "
                    + "or DNAME, or tailor the name in the other zone")
        }
        let isWildcard = names.withName(at: index) { $0[0] == 1 && $0[1] == UInt8(ascii: "*") }
        if index > 0, isWildcard { layout.nodes[parent].wildcard = Int32(index) }
        layout.nodes.append(node)
        if index > 0 { layout.nodes[parent].children += 1 }
    }

    /// Checks the current node, whose RRsets were just laid out.
    private func check(_ node: Int, _ layout: Layout) throws(ZoneError) {
        let soas = layout.count(.soa)
        if node == 0 {
            guard soas == 1 else {
                throw ZoneError(
                    name: apex, message: "the zone has \(soas) SOA records; it needs exactly one at its apex")
            }
            if layout.count(.dnskey) > 0, let tailored = nodes.firstIndex(where: \.isTailored) {
                throw ZoneError(
                    name: name(tailored),
                    message:
                        "is tailored in the signed zone \(apex), where its answers would have no signature; delegate "
                        + "it to an unsigned zone, or tailor it there")
            }
        } else if soas > 0 {
            throw ZoneError(name: name(node), message: "an SOA belongs to the apex \(apex) only; remove it")
        }
        let (aliases, redirections) = (layout.count(.cname), layout.count(.dname))
        // A signed CNAME has RRSIG and NSEC at the same name (RFC 4034, sections 3 and 4).
        if aliases > 0, let other = layout.sets.first(where: { ![.cname, .rrsig, .nsec].contains($0.rrset.type) }) {
            throw ZoneError(name: name(node), message: "has CNAME and \(other.rrset.type); remove one of them")
        }
        guard aliases <= 1, redirections <= 1 else {
            throw ZoneError(name: name(node), message: "has more than one CNAME or DNAME; keep one")
        }
        if redirections > 0, layout.count(.ns) > 0, node != 0 {
            throw ZoneError(name: name(node), message: "has DNAME and NS; a delegation cannot have a DNAME")
        }
        let kinds = nodes[node].tailored
        if kinds.contains(.alias), node == 0 {
            throw ZoneError(
                name: apex,
                message: "is tailored as CNAME at the apex of its zone, which has an SOA; tailor its addresses instead")
        }
        if let set = layout.sets.first(where: { kinds.contradicts($0.rrset.type) }) {
            let what = kinds.contains(.alias) ? "tailored as CNAME" : "tailored"
            throw ZoneError(
                name: name(node), message: "is \(what) and has \(set.rrset.type) in its zone; remove one of them")
        }
    }
}
