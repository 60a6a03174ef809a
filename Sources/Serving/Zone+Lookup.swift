import DNSWire

extension Zone {
    /// What a zone says about a name and type (RFC 1034, section 4.3.2, step 3).
    enum Finding {
        case data(RRset)
        case alias(RRset)
        /// The name is below a DNAME at `node`.
        case dname(node: Int, RRset)
        /// The name is at or below the delegation at `node`.
        case referral(node: Int, RRset)
        /// The name exists, as an empty non-terminal at least.
        case noData
        /// ANY at a tailored name that has no data of the zone's own.
        case onlyTailored
        case nxDomain
    }

    /// Looks `name` up; it must be the apex or below it.
    func find(_ name: LookupName, _ type: RecordType) -> Finding {
        var label = 0
        var encloser = names.find(name, from: 0)
        // All names above an existing name exist: the first hit is the closest encloser, the apex at the latest.
        while encloser == nil, label < name.labelCount - apexLabelCount {
            label += 1
            encloser = names.find(name, from: label)
        }
        guard let encloser else { return .nxDomain }
        let boundary = Int(nodes[encloser].boundary)
        if boundary >= 0 {
            let exact = boundary == encloser && label == 0
            if boundary != 0, let delegation = rrset(at: boundary, .ns) {
                // The parent is authoritative for DS at the delegation (RFC 4035, section 3.1.4.1).
                if !(exact && type == .ds) { return .referral(node: boundary, delegation) }
            } else if !exact, let dname = rrset(at: boundary, .dname) {
                return .dname(node: boundary, dname)
            }
        }
        if label == 0 { return finding(at: encloser, type) }
        let wildcard = Int(nodes[encloser].wildcard)
        return wildcard >= 0 ? finding(at: wildcard, type) : .nxDomain
    }

    private func finding(at node: Int, _ type: RecordType) -> Finding {
        if type == .any { return findingAny(at: node) }
        if let set = rrset(at: node, type) { return .data(set) }
        if let alias = rrset(at: node, .cname) { return .alias(alias) }
        return .noData
    }

    /// One RRset stands for all (RFC 8482, section 4.1).
    private func findingAny(at node: Int) -> Finding {
        for index in nodes[node].rrsets {
            let set = rrsets[Int(index)]
            if set.type != .rrsig, set.type != .nsec { return .data(set) }
        }
        return nodes[node].isTailored ? .onlyTailored : .noData
    }
}
