import DNSWire

/// `aliases`.
struct AliasRules: EntryRules {
    let context: RuleContext
    let names: DeclaredNames

    func aliases(_ entries: [Entry<AliasDeclaration>], _ tailored: [TailoredSettings]) -> [AliasSettings] {
        let limit = ServerConfiguration.maximumAliases
        if entries.count > limit {
            report(
                entries[limit].location, "aliases has \(entries.count) entries, expected at most \(limit)",
                remedy: "remove \(entries.count - limit)")
        }
        return distinctNames(entries, in: .aliases).compactMap { alias($0, $1, tailored) }
    }

    private func alias(
        _ entry: Entry<AliasDeclaration>, _ name: DomainName, _ tailored: [TailoredSettings]
    ) -> AliasSettings? {
        let mark = entry.identifier.location
        if names.origins.lacks(name) {
            report(
                mark, "\(entry.owner) is in none of the zones (\(names.origins.excerpt))",
                remedy: "add its zone under zones or correct the name")
        }
        if name.isWildcard {
            report(mark, "\(entry.owner) is a wildcard", remedy: "write an alias for each name")
        }
        if let other = tailored.first(where: { $0.name == name && $0.records.excludesAlias }) {
            report(
                mark, "\(entry.owner) is tailored at \(other.mark.reference(from: mark))",
                remedy: "remove one of them")
        }
        let declared = entry.declaration
        _ = required(declared.target, "target", in: entry.scope, example: "target: example.cdn.net")
        requireHostName(
            declared.target, entry.name("target"), instead: "give the name this address in its zone, without an alias")
        let target = target(declared.target, entry.name("target"))
        let ttl = integer(declared.ttl, entry.name("ttl"), .aliasTTL, default: 60)
        let stale = duration(declared.stale, entry.name("stale"), .aliasStale, default: 86_400_000)
        guard let target, let ttl, let stale else { return nil }
        return AliasSettings(
            name: name, target: target, ttl: UInt32(ttl), staleMilliseconds: Int64(stale), mark: entry.location)
    }

    /// An outside host. The answer of a name served here may be made from the alias, which would confirm itself for ever.
    private func target(_ declared: Declared<String>, _ label: String) -> DomainName? {
        guard let line = line(declared, label, Expected.domainName) else { return nil }
        let target: DomainName
        do { target = try DomainName(line.value) } catch {
            report(line.location, "\(label) is not a domain name (\(error))", remedy: "correct it")
            return nil
        }
        if names.origins.contains(target) {
            report(
                line.location, "\(label) is \(line.quoted), which is in a zone served here",
                remedy: "use a CNAME record, or give the name its own addresses in the zone")
        }
        return target
    }
}

extension TailoredSettings.Records {
    /// Whether a name with such records has no addresses of its own.
    fileprivate var excludesAlias: Bool {
        switch self {
        case .addresses, .alias, .binding: true
        case .services, .texts, .exchanges: false
        }
    }
}
