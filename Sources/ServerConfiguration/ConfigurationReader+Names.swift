import DNSWire
import Yams

/// `zones`, and what it has in common with `tailored`.
extension ConfigurationReader {
    static let zoneSection = Section(
        key: "zones", word: "zone", identifier: "origin", known: ["origin", "file", "allow", "deny"],
        identifierExample: "example.com",
        example: "zones: [{origin: example.com, file: zones/example.com.zone}]")

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

    /// The entries that give a domain name that no earlier entry gives.
    mutating func distinctNames(_ entries: [Entry], in section: Section) -> [(Entry, DomainName)] {
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
