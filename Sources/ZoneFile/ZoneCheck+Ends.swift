import DNSWire
import Lints

/// Zone cuts: delegations and DNAMEs, below which the zone is not authoritative.
extension ZoneCheck {
    mutating func findEnds() {
        for entry in records.entries where entry.type == .ns || entry.type == .dname {
            if entry.type == .ns { _ = servers.insert(entry.data, of: records.bytes) }
            guard entry.owner.count > apex.wire.count || entry.type == .dname else { continue }
            let end = ends.insert(entry.owner, of: records.bytes)
            if end == endOwners.count, let owner = owners.find(entry.owner, of: records.bytes, in: records.bytes) {
                endOwners.append(owner)
                shortestEnd = min(shortestEnd, entry.owner.count)
            }
        }
    }

    /// The owner of the topmost zone cut at or above the name at `place`, which is in the zone.
    func end(above place: Range<Int>) -> Int? {
        var (start, topmost): (Int, Int?) = (place.lowerBound, nil)
        while place.upperBound - start >= shortestEnd {
            if let found = ends.find(start..<place.upperBound, of: records.bytes, in: records.bytes) { topmost = found }
            guard records.bytes[start] != 0 else { break }
            start += 1 + Int(records.bytes[start])
        }
        return topmost.map { endOwners[$0] }
    }

    /// Whether the server of an NS is below a different delegation. Its address may be known only there.
    func isBelowForeignEnd(_ entry: Entry) -> Bool {
        guard let end = end(above: entry.data) else { return false }
        return owners.find(entry.owner, of: records.bytes, in: records.bytes) != end
    }

    /// Data below a zone cut. Below a DNAME it is an error (RFC 6672, section 2.4). Below a delegation, addresses of
    /// name servers are glue; other data is kept but never answered.
    mutating func checkBelowEnd(_ owner: Int, _ place: Range<Int>) {
        guard let end = end(above: place) else { return }
        let isBelow = end != owner
        if let dname = first(.dname, at: end) {
            guard isBelow else { return }
            // NSEC3 records of a signed zone with a DNAME at its apex (RFC 5155, section 3) are not part of the name
            // tree.
            let isApex = owners.place(end).count == apex.wire.count
            for entry in entries(owner) where !isApex || ![.nsec3, .rrsig].contains(entry.type) {
                report(
                    entry,
                    "\(name(owner)) is below the DNAME \(self.place(of: dname, from: entry)) and never seen; remove one of "
                        + "them")
                return
            }
            return
        }
        guard let delegation = first(.ns, at: end) else { return }
        for number in 0..<count(owner) {
            let entry = record(owner, number)
            if !isBelow, [.ns, .ds, .nsec, .rrsig].contains(entry.type) { continue }
            if entry.type == .a || entry.type == .aaaa,
                servers.find(place, of: records.bytes, in: records.bytes) != nil
            {
                continue
            }
            // The owners of NSEC3 records are hashes, which are not part of the name tree.
            guard entry.type != .nsec3 else { continue }
            warn(
                .belowDelegation, entry,
                "\(name(owner)) \(entry.type) is \(isBelow ? "below" : "at") the delegation "
                    + "\(self.place(of: delegation, from: entry)) and never answered, being no name server's address; remove it, or "
                    + "put it in the delegated zone")
        }
    }
}
