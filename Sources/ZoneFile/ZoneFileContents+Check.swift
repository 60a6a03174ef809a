public import DNSWire

extension ZoneFileContents {
    /// Checks that the records make the zone `apex`, and adds what it finds to `errors` and `warnings`.
    ///
    /// Errors: no SOA or a second one, an SOA below the apex, no NS at the apex, owners outside the zone, CNAME beside other
    /// data, several CNAME or DNAME at a name, DNAME beside a delegation, names below a DNAME. Warnings: repeated
    /// records, different TTLs in an RRset, name servers in the zone without an address.
    public mutating func check(apex: DomainName) {
        var byName: [DomainName: [LocatedRecord]] = [:]
        for located in records {
            guard located.record.owner.isSubdomain(of: apex) else {
                report(
                    located,
                    "\(located.record.owner) is not in the zone \(apex); add the missing final part, or remove it")
                continue
            }
            byName[located.record.owner, default: []].append(located)
        }
        checkApex(apex, byName[apex] ?? [])
        let hasDNAME = records.contains { $0.record.type == .dname }
        for (name, set) in byName {
            // Most names of a large zone have one record, of which only its surroundings can be wrong.
            guard set.count > 1 || hasDNAME || set[0].record.type == .ns else { continue }
            let types = Dictionary(grouping: set, by: \.record.type)
            checkAliases(name, types, isApex: name == apex)
            for set in types.values { checkSet(set) }
            if let delegation = types[.ns] { checkServers(delegation, apex, byName) }
            if hasDNAME { checkBelowDNAME(name, types, apex, byName) }
        }
        // Dictionaries have no order; reports do.
        errors.sort { ($0.line, $0.column) < ($1.line, $1.column) }
        warnings.sort { ($0.line, $0.column, $0.message) < ($1.line, $1.column, $1.message) }
    }

    private mutating func report(_ located: LocatedRecord, _ message: String) {
        errors.append(ZoneFileError(file: file, line: located.line, column: located.column, message: message))
    }

    private mutating func warn(_ located: LocatedRecord, _ message: String) {
        warnings.append(ZoneFileError(file: file, line: located.line, column: located.column, message: message))
    }

    private mutating func checkApex(_ apex: DomainName, _ set: [LocatedRecord]) {
        func missing(_ what: String) -> ZoneFileError {
            ZoneFileError(
                file: file, line: 1, column: 1, message: "the zone \(apex) has no \(what) record at its apex; add one")
        }
        if !set.contains(where: { $0.record.type == .soa }) { errors.append(missing("SOA")) }
        if !set.contains(where: { $0.record.type == .ns }) { errors.append(missing("NS")) }
        var first: LocatedRecord?
        for located in records where located.record.type == .soa {
            if located.record.owner != apex {
                if located.record.owner.isSubdomain(of: apex) {
                    report(
                        located, "an SOA belongs to the apex \(apex) only; remove it, or serve it as a zone of its own")
                }
            } else if let first {
                report(located, "a second SOA; the first is in line \(first.line); remove one")
            } else {
                first = located
            }
        }
    }

    private mutating func checkAliases(_ name: DomainName, _ types: [RecordType: [LocatedRecord]], isApex: Bool) {
        if let alias = types[.cname]?.first {
            // Signatures and denial stand beside a signed CNAME (RFC 4034, sections 3 and 4).
            for (type, others) in types where ![.cname, .rrsig, .nsec].contains(type) {
                report(others[0], "\(name) has a CNAME in line \(alias.line) and so no other data; remove one of them")
            }
        }
        for type in [RecordType.cname, .dname] {
            guard let set = types[type], let other = set.first(where: { $0.record.data != set[0].record.data }) else {
                continue
            }
            report(other, "a second \(type) of \(name); the first is in line \(set[0].line); remove one")
        }
        if let dname = types[.dname]?.first, let delegation = types[.ns]?.first, !isApex {
            report(dname, "\(name) is delegated in line \(delegation.line) and cannot have a DNAME; remove one of them")
        }
    }

    private mutating func checkSet(_ set: [LocatedRecord]) {
        for (index, located) in set.enumerated().dropFirst() {
            if located.record.ttl != set[0].record.ttl {
                warn(
                    located,
                    "the TTL differs from that in line \(set[0].line); an RRset has one TTL and the smallest is used "
                        + "(RFC 2181, section 5.2); make them equal")
            }
            // Sets are small; the one that is not is checked against its first records only.
            if let earlier = set[..<min(index, 64)].first(where: { $0.record.data == located.record.data }) {
                warn(located, "the record repeats line \(earlier.line); remove one")
            }
        }
    }

    private mutating func checkServers(
        _ delegation: [LocatedRecord], _ apex: DomainName, _ byName: [DomainName: [LocatedRecord]]
    ) {
        for located in delegation {
            guard let server = DomainName(wire: located.record.data) else { continue }
            let isApex = located.record.owner == apex
            guard server.isSubdomain(of: located.record.owner), isApex || server != apex else { continue }
            if byName[server]?.contains(where: { $0.record.type == .a || $0.record.type == .aaaa }) != true {
                warn(located, "the name server \(server) has no address in the zone; add an A or AAAA record for it")
            }
        }
    }

    private mutating func checkBelowDNAME(
        _ name: DomainName, _ types: [RecordType: [LocatedRecord]], _ apex: DomainName,
        _ byName: [DomainName: [LocatedRecord]]
    ) {
        guard let located = types.values.compactMap(\.first).min(by: { $0.line < $1.line }) else { return }
        var above = name
        while above != apex, let parent = above.parent {
            above = parent
            if let dname = byName[above]?.first(where: { $0.record.type == .dname }) {
                report(located, "\(name) is below the DNAME in line \(dname.line) and never seen; remove one of them")
                return
            }
        }
    }
}
