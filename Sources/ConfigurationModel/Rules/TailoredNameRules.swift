import DNSWire

/// `tailored`.
struct TailoredNameRules: EntryRules {
    let context: RuleContext
    let names: DeclaredNames

    func tailored(_ entries: [Entry<TailoredDeclaration>]) -> [TailoredSettings] {
        // Types of different groups may share a name, so duplicates are checked in each.
        let groups = Dictionary(grouping: entries, by: Self.group).sorted { $0.key < $1.key }.map {
            distinctNames($0.value, in: .tailored)
        }
        let numbered = groups.joined().compactMap { entry, name in
            tailored(entry, name).map { (entry.number, $0) }
        }
        let settings = numbered.sorted { $0.0 < $1.0 }.map(\.1)
        checkNeighbours(settings)
        return settings
    }

    private func tailored(_ entry: Entry<TailoredDeclaration>, _ name: DomainName) -> TailoredSettings? {
        if names.origins.lacks(name) {
            report(
                entry.identifier.location, "\(entry.owner) is in none of the zones (\(names.origins.excerpt))",
                remedy: "add its zone under zones or correct the name")
        }
        if name.parent.map(Self.hasAsterisk) == true {
            report(
                entry.identifier.location,
                "\(entry.owner) has the label * below its first one, where it is no wildcard (RFC 4592, section 2.1.1)",
                remedy: "use * as the first label only")
        }
        let records = records(entry)
        let pool = required(entry.declaration.pool, "pool", in: entry.scope, example: "pool: web")
            .flatMap { reference($0, from: entry.owner, to: .pools, known: names.pools) }
        let policy = required(entry.declaration.policy, "policy", in: entry.scope, example: "policy: nearest")
            .flatMap { reference($0, from: entry.owner, to: .policies, known: names.policies) }
        let views = views(entry, pool: pool, policy: policy)
        guard let records, let pool, let policy, let views else { return nil }
        return TailoredSettings(
            name: name, records: records, pool: pool, policy: policy, views: views, mark: entry.location)
    }

    private static func group(_ entry: Entry<TailoredDeclaration>) -> Int {
        switch entry.declaration.type.located.flatMap({ TailoredType(rawValue: $0.value) }) {
        case .addresses, .srv, .cname, nil: 0
        case .https, .svcb: 1
        case .txt: 2
        case .mx: 3
        }
    }

    private static func hasAsterisk(_ name: DomainName) -> Bool {
        sequence(first: name, next: \.parent).contains(where: \.isWildcard)
    }

    // MARK: - Records

    private func records(_ entry: Entry<TailoredDeclaration>) -> TailoredSettings.Records? {
        let declared = entry.declaration
        guard let type = choice(declared.type, entry.name("type"), default: TailoredType.addresses) else { return nil }
        check(declared.port, "port", of: [.srv, .https, .svcb], type, entry)
        check(declared.priority, "priority", of: [.srv, .mx], type, entry)
        check(declared.alpn, "alpn", of: [.https, .svcb], type, entry)
        switch type {
        case .addresses: return .addresses
        case .cname: return .alias
        case .txt: return .texts
        case .mx:
            let priority = integer(declared.priority, entry.name("priority"), .priority, default: 10)
            return priority.map { .exchanges(preference: UInt16($0)) }
        case .srv:
            let priority = integer(declared.priority, entry.name("priority"), .priority, default: 0)
            _ = required(declared.port, "port", in: entry.scope, example: "port: 8080")
            guard let port = port(entry), let priority else { return nil }
            return .services(port: port, priority: UInt16(priority))
        case .https: return binding(.https, defaultPort: 443, entry)
        // The default is that of the protocol, which is unknown here.
        case .svcb: return binding(.svcb, defaultPort: nil, entry)
        }
    }

    /// Reports a key that belongs to other types.
    private func check<Value>(
        _ declared: Declared<Value>, _ key: String, of types: [TailoredType], _ type: TailoredType,
        _ entry: Entry<TailoredDeclaration>
    ) {
        guard let stray = declared.located, !types.contains(type) else { return }
        report(
            stray.key,
            "\(entry.name(key)) belongs to type \(Spelling.alternatives(types.map(\.rawValue))), but the type is "
                + type.rawValue,
            remedy: "remove it")
    }

    private func binding(
        _ type: RecordType, defaultPort: UInt16?, _ entry: Entry<TailoredDeclaration>
    ) -> TailoredSettings.Records? {
        let port = port(entry)
        guard port != nil || entry.declaration.port.isAbsent, let protocols = protocols(entry) else { return nil }
        return .binding(.init(type: type, port: port == defaultPort ? nil : port, protocols: protocols))
    }

    private func port(_ entry: Entry<TailoredDeclaration>) -> UInt16? {
        integer(entry.declaration.port, entry.name("port"), .port).map { UInt16($0) }
    }

    private func protocols(_ entry: Entry<TailoredDeclaration>) -> [String]? {
        let declared = entry.declaration.alpn
        guard !declared.isAbsent else { return [] }
        guard let elements = list(declared, "alpn", .alpn, in: entry.scope) else { return nil }
        let name = entry.name("alpn")
        var protocols: [String] = []
        for element in elements {
            guard let line = line(element, "an entry of \(name)", Expected.alpn) else { return nil }
            let isRepeated = protocols.contains(line.value)
            guard line.value.utf8.count <= 255, !isRepeated else {
                report(
                    line.location,
                    "an entry of \(name) is \(line.quoted), expected \(isRepeated ? "each once" : Expected.alpn)",
                    remedy: isRepeated ? "remove it" : "shorten it")
                return nil
            }
            protocols.append(line.value)
        }
        guard protocols.count <= 16 else {
            report(
                declared.located?.location ?? entry.location,
                "\(name) has \(protocols.count) ids, expected at most 16", remedy: "remove some")
            return nil
        }
        return protocols
    }

    /// An HTTPS or SVCB record may share its name only with addresses that are chosen as its hints are. TXT and MX may
    /// share theirs with anything but an alias.
    private func checkNeighbours(_ settings: [TailoredSettings]) {
        var others: [DomainName: TailoredSettings] = [:]
        for entry in settings {
            switch entry.records {
            case .addresses, .services, .alias: others[entry.name] = entry
            case .binding, .texts, .exchanges: continue
            }
        }
        for entry in settings where [.txt, .mx].contains(entry.records.type) {
            guard let other = others[entry.name], other.records == .alias else { continue }
            report(
                entry.mark,
                "tailored name \"\(entry.name)\" of type \(entry.records.type.rawValue) is tailored at "
                    + "\(other.mark.reference(from: entry.mark)) as a CNAME, expected no other type at its name",
                remedy: "remove one")
        }
        for entry in settings {
            guard case .binding(let binding) = entry.records, let other = others[entry.name] else { continue }
            let found = "tailored name \"\(entry.name)\" of type \(binding.type)"
            if other.records != .addresses {
                report(
                    entry.mark,
                    "\(found) is tailored at \(other.mark.reference(from: entry.mark)) as a type other than addresses",
                    remedy: "remove one")
            } else if other.pool != entry.pool || other.policy != entry.policy || Set(other.views) != Set(entry.views) {
                report(
                    entry.mark,
                    "\(found) differs in pool, policy or views from its addresses at \(other.mark.reference(from: entry.mark)), expected the "
                        + "same, so that the hints are its addresses",
                    remedy: "change one of them")
            }
        }
    }
}
