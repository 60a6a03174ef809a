import DNSWire
import Yams

/// `zones` and `tailored`.
extension ConfigurationReader {
    static let zoneSection = Section(
        key: "zones", word: "zone", identifier: "origin", known: ["origin", "file", "allow", "deny"],
        identifierExample: "example.com",
        example: "zones: [{origin: example.com, file: zones/example.com.zone}]")

    static let tailoredSection = Section(
        key: "tailored", word: "tailored name", identifier: "name", known: ["name", "pool", "policy"],
        identifierExample: "www.example.com",
        example: "tailored: [{name: www.example.com, pool: web, policy: nearest}]")

    mutating func zones(_ entries: [Entry], in root: Fields) -> [ZoneSettings] {
        if root["zones"] == nil { _ = required("zones", in: root, example: Self.zoneSection.example) }
        return distinctNames(entries, in: Self.zoneSection).compactMap { entry, origin in
            let (allow, deny) = access(entry)
            guard let node = required("file", in: entry.fields, example: "file: zones/example.com.zone"),
                let file = text(node, name: entry.fields.name("file"), expected: "a path")
            else { return nil }
            return ZoneSettings(
                origin: origin, file: absolute(file), allow: allow, deny: deny, mark: entry.fields.mark)
        }
    }

    mutating func tailored(
        _ entries: [Entry], zones: [Entry], pools: KnownIdentifiers, policies: KnownIdentifiers
    ) -> [TailoredSettings] {
        let origins = zones.map { try? DomainName($0.identifier.text) }
        // A zone whose origin cannot be read may be the one that holds a name.
        let isComplete = !origins.contains(nil) && !origins.isEmpty
        let served = Set(origins.compactMap { $0 })
        let excerpt = Spelling.excerpt(zones.map(\.identifier.text))
        return distinctNames(entries, in: Self.tailoredSection).compactMap { entry, name in
            // Looking up each ancestor keeps this independent of the number of zones.
            let enclosing = sequence(first: name, next: \.parent)
            if isComplete, !enclosing.contains(where: served.contains) {
                report(
                    entry.identifier.mark,
                    "\(entry.owner) is in none of the zones (\(excerpt)): add its zone under zones or correct the name")
            }
            let pool = required("pool", in: entry.fields, example: "pool: web")
                .flatMap { reference($0, from: entry.owner, to: Self.poolSection, known: pools) }
            let policy = required("policy", in: entry.fields, example: "policy: nearest")
                .flatMap { reference($0, from: entry.owner, to: Self.policySection, known: policies) }
            guard let pool, let policy else { return nil }
            return TailoredSettings(name: name, pool: pool, policy: policy, mark: entry.fields.mark)
        }
    }

    /// The entries that give a domain name that no earlier entry gives.
    private mutating func distinctNames(_ entries: [Entry], in section: Section) -> [(Entry, DomainName)] {
        var first: [DomainName: SourceMark] = [:]
        return entries.compactMap { entry in
            let (text, mark) = (entry.identifier.text, entry.identifier.mark)
            let name: DomainName
            do {
                name = try DomainName(text)
            } catch {
                report(mark, "\(entry.owner) is not a domain name (\(error)): correct the \(section.identifier)")
                return nil
            }
            if let earlier = first[name] {
                report(mark, "\(entry.owner) is defined twice, first at line \(earlier.line): remove one")
                return nil
            }
            first[name] = mark
            return (entry, name)
        }
    }
}
