package import DNSWire

extension Zone {
    /// The position of a name in the zone (RFC 4592, section 3.3).
    package struct Match {
        /// The closest encloser: the name's own node if it exists.
        package var encloser: Int
        /// Number of labels of the name below the encloser; 0 if the name exists.
        package var label: Int
        /// The node with the name's data: its own, or that of the wildcard below the encloser; `nil` for none.
        package var source: Int?

        package init(encloser: Int, label: Int, source: Int?) {
            (self.encloser, self.label, self.source) = (encloser, label, source)
        }

        /// Whether the data are synthesised from a wildcard.
        package var isSynthesised: Bool { label > 0 }
    }

    /// What a zone says about a name and type (RFC 1034, section 4.3.2, step 3).
    package enum Finding {
        case data(RRset)
        case alias(RRset)
        /// The name is below a DNAME at `node`.
        case dname(node: Int, RRset)
        /// The name is at or below the delegation at `node`.
        case referral(node: Int, RRset)
        /// The name exists, at least as an empty non-terminal.
        case noData
        /// ANY at a tailored name without zone data.
        case onlyTailored
        case nxDomain
    }

    /// Finds `name`, which must be the apex or below it, or its closest encloser. Data below a zone cut are found too.
    package func match(_ name: LookupName) -> Match {
        // Every ancestor of an existing name exists, so the first hit is the closest encloser; at the latest it is the
        // apex.
        let last = name.labelCount - apexLabelCount
        for label in 0..<last {
            guard let node = names.find(name, from: label) else { continue }
            // Such a name is directly below the apex.
            if nodes[node].isHashedOwner { break }
            return match(at: node, label)
        }
        return match(at: 0, last)
    }

    private func match(at encloser: Int, _ label: Int) -> Match {
        guard label > 0 else { return Match(encloser: encloser, label: 0, source: encloser) }
        let wildcard = Int(nodes[encloser].wildcard)
        return Match(encloser: encloser, label: label, source: wildcard >= 0 ? wildcard : nil)
    }

    /// Looks up `type` at the position `match`.
    package func find(_ match: Match, _ type: RecordType) -> Finding {
        let boundary = Int(nodes[match.encloser].boundary)
        if boundary >= 0 {
            let isExact = boundary == match.encloser && match.label == 0
            if boundary != 0, let delegation = rrset(at: boundary, .ns) {
                // The parent is authoritative for DS at the delegation (RFC 4035, section 3.1.4.1).
                if !(isExact && type == .ds) { return .referral(node: boundary, delegation) }
            } else if !isExact, let dname = rrset(at: boundary, .dname) {
                return .dname(node: boundary, dname)
            }
        }
        guard let source = match.source else { return .nxDomain }
        return finding(at: source, type)
    }

    private func finding(at node: Int, _ type: RecordType) -> Finding {
        if type == .any { return findingAny(at: node) }
        if let set = rrset(at: node, type) { return .data(set) }
        // RRSIG and NSEC at an alias are data about the alias: it is not followed for them (RFC 4035, section 2.5).
        if type != .rrsig, type != .nsec, let alias = rrset(at: node, .cname) { return .alias(alias) }
        return .noData
    }

    /// One RRset is enough (RFC 8482, section 4.1).
    private func findingAny(at node: Int) -> Finding {
        for index in nodes[node].rrsets {
            let set = rrsets[Int(index)]
            if set.type != .rrsig, set.type != .nsec { return .data(set) }
        }
        return nodes[node].isTailored ? .onlyTailored : .noData
    }

    /// Whether the zone is authoritative for the data at a node. It is not below a zone cut, nor for the NS at a
    /// delegation.
    package func isAuthoritative(at node: Int) -> Bool {
        let boundary = Int(nodes[node].boundary)
        return boundary < 0 || boundary == node && (node == 0 || rrset(at: node, .ns) == nil)
    }
}
