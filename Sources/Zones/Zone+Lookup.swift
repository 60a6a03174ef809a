package import DNSWire

extension Zone {
    /// Where a name stands in the zone (RFC 4592, section 3.3).
    package struct Match {
        /// The closest encloser: the name's own node when it exists.
        package var encloser: Int
        /// Labels of the name below the encloser: 0 when it exists.
        package var label: Int
        /// The node whose data the name has: its own, or that of the wildcard below the encloser; `nil` for none.
        package var source: Int?

        package init(encloser: Int, label: Int, source: Int?) {
            (self.encloser, self.label, self.source) = (encloser, label, source)
        }

        /// Whether the data come from a wildcard.
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
        /// The name exists, as an empty non-terminal at least.
        case noData
        /// ANY at a tailored name that has no data of the zone's own.
        case onlyTailored
        case nxDomain
    }

    /// Finds `name`, which must be the apex or below it, or its closest encloser. Data below a zone's end are found too.
    package func match(_ name: LookupName) -> Match {
        // All names above an existing name exist: the first hit is the closest encloser, the apex at the latest.
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

    /// Looks up `type` where `match` says.
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
        // RRSIG and NSEC stand beside an alias and are about it: it is not followed for them (RFC 4035, section 2.5).
        if type != .rrsig, type != .nsec, let alias = rrset(at: node, .cname) { return .alias(alias) }
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

    /// Whether the zone speaks for the data at a node: not below its end, and of a delegation only the name itself is its.
    package func isAuthoritative(at node: Int) -> Bool {
        let boundary = Int(nodes[node].boundary)
        return boundary < 0 || boundary == node && (node == 0 || rrset(at: node, .ns) == nil)
    }
}
