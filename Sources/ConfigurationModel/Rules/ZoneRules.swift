import DNSWire
import IPNetworks

/// `zones`, and rules shared with `tailored`.
struct ZoneRules: EntryRules, NetworkRules {
    let context: RuleContext

    func zones(
        _ declaration: ConfigurationDeclaration, _ entries: [Entry<ZoneDeclaration>], _ root: Scope
    ) -> [ZoneSettings] {
        _ = required(declaration.zones, "zones", in: root, example: Section.zones.example)
        return distinctNames(entries, in: .zones).compactMap { entry, origin in
            let (allow, deny) = access(entry)
            let file = requiredPath(
                entry.declaration.file, "file", in: entry.scope, example: "zones/example.com.zone")
            guard let file else { return nil }
            return ZoneSettings(origin: origin, file: file.path, allow: allow, deny: deny, mark: entry.location)
        }
    }

    /// `allow` and `deny` of a zone.
    private func access(_ entry: Entry<ZoneDeclaration>) -> (allow: [IPPrefix], deny: [IPPrefix]) {
        let allow = networks(entry.declaration.allow, "allow", in: entry.scope)
        let deny = networks(entry.declaration.deny, "deny", in: entry.scope)
        let allowed = Set(allow.map(\.prefix))
        for network in deny where allowed.contains(network.prefix) {
            report(
                network.mark, "\(entry.owner) both allows and denies \(network.prefix)", remedy: "remove one of them")
        }
        return (allow.map(\.prefix), deny.map(\.prefix))
    }
}
