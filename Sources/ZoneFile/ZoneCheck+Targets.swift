import DNSWire
import Lints

/// Names that records lead to.
extension ZoneCheck {
    /// Where the target's name begins in the data. `nil`: records of this type have none.
    private static func targetOffset(_ type: RecordType) -> Int? {
        switch type {
        case .ns, .cname: 0
        case .mx: 2
        case .srv: 6
        default: nil
        }
    }

    /// Checks targets of aliases, mail servers, services and name servers.
    mutating func checkTargets(_ owner: Int) {
        for number in 0..<count(owner) {
            let entry = record(owner, number)
            guard let offset = Self.targetOffset(entry.type), entry.dataLength > offset + 1 else { continue }
            checkTarget(entry, entry.data.lowerBound + offset..<entry.data.upperBound)
        }
    }

    private mutating func checkTarget(_ entry: Entry, _ target: Range<Int>) {
        let bytes = records.bytes
        let isInside = isInZone(target)
        if Self.isAddress(bytes, target, apex: isInside ? apex.wire.count : 1) {
            return warn(
                .targetAddress, entry,
                "the target \(shown(target)) looks like an address, and a record of type \(entry.type) needs a name; "
                    + "name a host that has the address")
        }
        guard isInside else { return }
        let found = owners.find(target, of: bytes, in: bytes)
        if found == nil, endsInApexTwice(target) {
            return warn(
                .finalDot, entry,
                "the target \(shown(target)) ends in the zone's name twice; add a final dot to the name in the file")
        }
        guard end(above: target) == nil else { return }
        guard let found else {
            guard !isCovered(target) else { return }
            // The address of a name server has a warning of its own.
            if entry.type != .ns {
                warn(
                    .danglingTarget, entry,
                    "the target \(shown(target)) does not exist in the zone; add it, or correct the name")
            }
            return
        }
        guard entry.type != .cname, entry.type != .ns, let alias = first(.cname, at: found) else { return }
        warn(
            .targetAlias, entry,
            "the target \(shown(target)) is the alias \(place(of: alias, from: entry)), which RFC 2181, section 10.3, does "
                + "not allow; name the host itself")
    }

    private func shown(_ place: Range<Int>) -> DomainName { DomainName(wire: records.bytes[place]) ?? .root }

    /// Whether the labels before the zone's name end in the zone's name.
    private func endsInApexTwice(_ place: Range<Int>) -> Bool {
        let labels = apex.wire.count - 1
        let outer = place.lowerBound..<place.upperBound - labels
        guard labels > 0, outer.count > labels else { return false }
        // The first name without its root ends where the second begins.
        let inner = Array(records.bytes[outer.lowerBound..<outer.upperBound - 1]) + [0]
        return DomainName(wire: inner)?.isSubdomain(of: apex) == true
    }

    /// Whether something else answers for a name that no record has: a wildcard, or a name that the configuration adds.
    private func isCovered(_ place: Range<Int>) -> Bool {
        let bytes = records.bytes
        guard !others.contains(bytes[place].map(DomainName.lowercased)) else { return true }
        var start = place.lowerBound
        while place.upperBound - start > apex.wire.count {
            start += 1 + Int(bytes[start])
            let wildcard = [1, UInt8(ascii: "*")] + bytes[start..<place.upperBound]
            if owner(wildcard) != nil || others.contains(wildcard.map(DomainName.lowercased)) { return true }
        }
        return false
    }

    /// Whether the labels before the last `apex` bytes are an address: four numbers, or a word with colons.
    private static func isAddress(_ bytes: [UInt8], _ place: Range<Int>, apex: Int) -> Bool {
        var (start, numbers): (Int, Int) = (place.lowerBound, 0)
        let end = place.upperBound - apex
        if start < end {
            let first = bytes[start + 1...start + Int(bytes[start])]
            let isHexadecimal = first.allSatisfy { FieldReader.hexDigit($0) != nil || $0 == UInt8(ascii: ":") }
            if isHexadecimal, first.count(where: { $0 == UInt8(ascii: ":") }) >= 2 { return true }
        }
        while start < end {
            let label = bytes[start + 1...start + Int(bytes[start])]
            guard (1...3).contains(label.count), label.allSatisfy(FieldReader.isDigit) else { return false }
            start += 1 + label.count
            numbers += 1
        }
        return numbers == 4
    }
}
