import DNSWire

/// The declared zones, for names that must be inside one of them.
struct ServedOrigins {
    /// For messages.
    let excerpt: String
    private let served: Set<DomainName>
    private let isComplete: Bool

    init(_ zones: [ConfigurationRules.Entry<ZoneDeclaration>]) {
        let origins = zones.map { try? DomainName($0.identifier.value) }
        // A zone whose origin could not be read may contain the name.
        isComplete = !origins.contains(nil) && !origins.isEmpty
        served = Set(origins.compactMap { $0 })
        excerpt = Spelling.excerpt(zones.map(\.identifier.value))
    }

    /// Whether `name` is certainly in none of the zones. Looking up each ancestor keeps the cost independent of their
    /// number.
    func lacks(_ name: DomainName) -> Bool {
        isComplete && !sequence(first: name, next: \.parent).contains(where: served.contains)
    }
}

/// `hostname` of nodes.
extension ConfigurationRules {
    mutating func hostname(_ entry: Entry<NodeDeclaration>, zones: ServedOrigins) -> HostnameSetting? {
        let label = entry.name("hostname")
        guard let line = line(entry.declaration.hostname, label, Expected.domainName) else { return nil }
        let name: DomainName
        do {
            name = try DomainName(line.value)
        } catch {
            report(line.location, "\(label) is not a domain name (\(error))", remedy: "correct it")
            return nil
        }
        if zones.lacks(name) {
            report(
                line.location, "\(label) is \(line.quoted), which is in none of the zones (\(zones.excerpt))",
                remedy: "add its zone under zones or correct the name")
        }
        return HostnameSetting(name: name, mark: line.location)
    }

    /// SRV and CNAME records point at host names. Every member must have one, and it must not be tailored: the records
    /// would depend on the client twice, or form a loop.
    mutating func checkHostnames(
        _ tailored: [TailoredSettings], _ pools: [PoolSettings], _ nodes: [NodeSettings], _ policies: [PolicySettings]
    ) {
        let names = Dictionary(tailored.map { ($0.name, $0.mark) }) { first, _ in first }
        for node in nodes {
            guard let hostname = node.hostname, let mark = names[hostname.name] else { continue }
            report(
                hostname.mark,
                "hostname of node \"\(node.id)\" is \"\(hostname.name)\", which is tailored at \(mark.reference), expected "
                    + "a name with addresses of its own",
                remedy: "use another")
        }
        let members = Dictionary(pools.map { ($0.id, $0.members) }) { first, _ in first }
        let known = Dictionary(nodes.map { ($0.id, $0) }) { first, _ in first }
        let fallbacks = Dictionary(policies.map { ($0.id, $0.whenAllDown) }) { first, _ in first }
        for entry in tailored {
            let type: TailoredType
            switch entry.records {
            case .services: type = .srv
            case .alias: type = .cname
            case .addresses, .binding: continue
            }
            var pools = [entry.pool]
            for pool in entry.views.map(\.pool) where !pools.contains(pool) { pools.append(pool) }
            for policy in [entry.policy] + entry.views.map(\.policy) {
                if case .fallback(let pool) = fallbacks[policy], !pools.contains(pool) { pools.append(pool) }
            }
            for pool in pools {
                // Unreadable nodes have been reported already.
                let nameless = (members[pool] ?? []).compactMap { known[$0.node] }.filter { $0.hostname == nil }
                if !nameless.isEmpty { reportNameless(nameless.map(\.id), of: pool, type, entry) }
            }
        }
    }

    private mutating func reportNameless(
        _ nodes: [String], of pool: String, _ type: TailoredType, _ entry: TailoredSettings
    ) {
        report(
            entry.mark,
            "tailored name \"\(entry.name)\" of type \(type.rawValue) needs a hostname for every node of pool "
                + "\(Spelling.quoted(pool)), and \(Spelling.excerpt(nodes)) \(nodes.count == 1 ? "has" : "have") none",
            remedy: "add hostname to the node\(nodes.count == 1 ? "" : "s")")
    }
}
