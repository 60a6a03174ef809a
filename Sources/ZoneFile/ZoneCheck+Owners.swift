import DNSWire
import Lints

extension ZoneCheck {
    /// Runs all checks.
    mutating func run() {
        checkApex()
        findEnds()
        for owner in 0..<owners.count {
            let place = owners.place(owner)
            guard isInZone(place) else {
                let name = name(owner)
                for number in 0..<count(owner) {
                    report(
                        record(owner, number),
                        "\(name) is not in the zone \(apex); add the missing final part, or remove it")
                }
                continue
            }
            // Most names of a large zone have a single record, for which only checks of its surroundings apply.
            let isAlone = count(owner) == 1
            if !isAlone {
                checkAliases(owner, isApex: place.count == apex.wire.count)
                checkSets(owner)
            }
            if !isAlone || record(owner, 0).type == .ns { checkServers(owner) }
            checkTargets(owner)
            checkSPF(owner)
            if ends.count > 0 { checkBelowEnd(owner, place) }
        }
    }

    /// Whether the name at `place` is the apex or below it.
    func isInZone(_ place: Range<Int>) -> Bool {
        let skipped = place.count - apex.wire.count
        guard skipped >= 0 else { return false }
        var label = 0
        while label < skipped { label += 1 + Int(records.bytes[place.lowerBound + label]) }
        guard label == skipped else { return false }
        for (offset, byte) in apex.wire.enumerated() {
            let own = records.bytes[place.lowerBound + skipped + offset]
            guard DomainName.lowercased(own) == DomainName.lowercased(byte) else { return false }
        }
        return true
    }

    private mutating func checkApex() {
        let owner = owner(apex.wire)
        for type in [RecordType.soa, .ns] where owner.flatMap({ first(type, at: $0) }) == nil {
            errors.append(
                ZoneFileError(
                    file: records.files[0], line: 1, column: 1,
                    message: "the zone \(apex) has no \(type) record at its apex; add one"))
        }
        var firstSOA: Entry?
        for entry in records.entries where entry.type == .soa {
            let isInside = isInZone(entry.owner)
            if isInside, entry.owner.count > apex.wire.count {
                report(entry, "an SOA belongs to the apex \(apex) only; remove it, or serve it as a zone of its own")
            } else if isInside, let first = firstSOA {
                report(entry, "a second SOA; the first is \(place(of: first, from: entry)); remove one")
            } else if isInside {
                firstSOA = entry
            }
        }
    }

    private mutating func checkAliases(_ owner: Int, isApex: Bool) {
        if let alias = first(.cname, at: owner) {
            var seen: Set<RecordType> = []
            for entry in entries(owner) {
                // A signed CNAME has RRSIG and NSEC at the same name (RFC 4034, sections 3 and 4).
                guard ![.cname, .rrsig, .nsec].contains(entry.type), seen.insert(entry.type).inserted else { continue }
                report(
                    entry,
                    "\(name(owner)) has a CNAME \(place(of: alias, from: entry)) and so no other data; remove one of "
                        + "them")
            }
        }
        for type in [RecordType.cname, .dname] {
            guard let first = first(type, at: owner) else { continue }
            for entry in entries(owner) where entry.type == type && !hasSameData(entry, first) {
                report(
                    entry,
                    "a second \(type) of \(name(owner)); the first is \(place(of: first, from: entry)); remove one")
                break
            }
        }
        if let dname = first(.dname, at: owner), let delegation = first(.ns, at: owner), !isApex {
            report(
                dname,
                "\(name(owner)) is delegated \(place(of: delegation, from: dname)) and cannot have a DNAME; remove one "
                    + "of them")
        }
    }

    /// Checks for different TTLs in an RRset, and for duplicate records.
    private mutating func checkSets(_ owner: Int) {
        var firsts: [UInt32: Entry] = [:]
        var seen: [ArraySlice<UInt8>: Entry] = [:]
        var reportedTTL: Set<UInt32> = []
        let all = entries(owner)
        for (index, entry) in all.enumerated() {
            let set = rrset(of: entry)
            if let first = firsts[set], first.ttl != entry.ttl, reportedTTL.insert(set).inserted {
                warn(
                    .ttlsDiffer, entry,
                    "the TTL differs from that \(place(of: first, from: entry)); an RRset has one TTL and the smallest is "
                        + "used (RFC 2181, section 5.2); make them equal")
            } else if firsts[set] == nil {
                firsts[set] = entry
            }
            let earlier: Entry?
            if all.count <= 16 {
                earlier = all[..<index].first { $0.type == entry.type && hasSameData($0, entry) }
            } else {
                let key =
                    [UInt8(entry.type.rawValue >> 8), UInt8(entry.type.rawValue & 255)] + records.bytes[entry.data]
                earlier = seen[key[...]]
                if earlier == nil { seen[key[...]] = entry }
            }
            if let earlier {
                warn(
                    .repeatedRecord, entry,
                    "the record repeats that \(place(of: earlier, from: entry)) and is dropped; remove one")
            }
        }
    }

    /// What identifies an RRset with one TTL: the type; for signatures, also the type they cover, whose TTL they have
    /// (RFC 4034, section 3).
    private func rrset(of entry: Entry) -> UInt32 {
        let type = UInt32(entry.type.rawValue) << 16
        guard entry.type == .rrsig, entry.dataLength >= 2 else { return type }
        let start = entry.data.lowerBound
        return type | UInt32(records.bytes[start]) << 8 | UInt32(records.bytes[start + 1])
    }

    /// Name servers inside the zone need an address there, and must not be aliases (RFC 2181, section 10.3).
    private mutating func checkServers(_ owner: Int) {
        for number in 0..<count(owner) {
            let entry = record(owner, number)
            guard entry.type == .ns, isInZone(entry.data), !isBelowForeignEnd(entry) else { continue }
            let server = Array(records.bytes[entry.data])
            let found = self.owner(server)
            if let found, let alias = first(.cname, at: found) {
                warn(
                    .targetAlias, entry,
                    "the name server \(name(found)) is the alias \(place(of: alias, from: entry)); name the host itself"
                )
            } else if found.flatMap({ first(.a, at: $0) ?? first(.aaaa, at: $0) }) == nil {
                let found = "the name server \(DomainName(wire: server) ?? .root)"
                let isFollower = followers.contains(server.map(DomainName.lowercased))
                warn(
                    .serverAddress, entry,
                    isFollower
                        ? "\(found) is an alias, whose addresses its parent zone does not follow; name a host with "
                            + "addresses of its own"
                        : "\(found) has no address in the zone; add an A or AAAA record for it")
            }
        }
    }
}
