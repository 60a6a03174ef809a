package import DNSWire
package import Lints
import Resolution
import ZoneFile
package import Zones

/// The warnings of a zone about some of its names. A check of the whole zone for each change takes too long, so this one
/// sees these names, the zone's own name, and the names that their records lead to.
package struct RecordLints {
    private let zone: Zone
    private let owners: Set<DomainName>
    private var lines: [(owner: DomainName, text: String)] = []
    /// Names that exist without records of their own.
    private var others: [DomainName] = []

    private init(_ zone: Zone, _ owners: Set<DomainName>) {
        (self.zone, self.owners) = (zone, owners)
        let sets = owners.flatMap { zone.rrsets(of: $0) }
        for name in owners.union([zone.apex]).union(sets.flatMap(Self.targets)).sorted() { add(name) }
    }

    private mutating func add(_ name: DomainName) {
        guard name.isSubdomain(of: zone.apex) else { return }
        let sets = zone.rrsets(of: name)
        if sets.isEmpty, exists(name) { others.append(name) }
        for set in sets {
            for record in set.records {
                lines.append((name, "\(name) \(set.ttl) IN \(set.type) \(set.type.presentation(of: record))\n"))
            }
        }
    }

    /// Whether a query for the name finds something, such as a wildcard or a tailored name.
    private func exists(_ name: DomainName) -> Bool {
        LookupName.withScratch { lookup in
            name.lowercasedWire.withUnsafeBytes { lookup.load($0) }
            if case .nxDomain = zone.find(zone.match(lookup), .a) { return false }
            return true
        }
    }

    /// The names that an RRset leads to, as far as warnings are about them.
    private static func targets(of set: ZoneRRset) -> [DomainName] {
        let start: Int
        switch set.type {
        case .cname, .ns: start = 0
        case .mx: start = 2
        case .srv: start = 6
        default: return []
        }
        return set.records.compactMap { DomainName(wire: $0.dropFirst(start)) }
    }

    /// Without places: no file has these records.
    private var warnings: [LintWarning] {
        let text = lines.flatMap { Array($0.text.utf8) }
        let contents = ZoneFileParser.parseZone(
            ZoneFileText(name: "records", identity: "records", text: text), apex: zone.apex, source: NoIncludedFiles(),
            others: others)
        return contents.warnings.compactMap { found in
            guard lines.indices.contains(found.line - 1), owners.contains(lines[found.line - 1].owner),
                let warning = found.warning
            else { return nil }
            return LintWarning(warning.lint, at: nil, warning.text, remedy: warning.remedy)
        }
    }

    /// The warnings about some names that a zone has now and had not before.
    package static func new(in zone: Zone, since before: Zone, owners: Set<DomainName>) -> [LintWarning] {
        let known = Set(RecordLints(before, owners).warnings)
        return RecordLints(zone, owners).warnings.filter { !known.contains($0) }
    }
}
