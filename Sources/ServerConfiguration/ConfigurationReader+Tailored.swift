import DNSWire
import Yams

/// `tailored`.
extension ConfigurationReader {
    static let tailoredSection = Section(
        key: "tailored", word: "tailored name", identifier: "name",
        known: ["name", "type", "pool", "policy", "port", "priority", "alpn", "views"],
        identifierExample: "www.example.com",
        example: "tailored: [{name: www.example.com, pool: web, policy: nearest}]")

    mutating func tailored(
        _ entries: [Entry], zones: ServedOrigins, _ known: SteeringIdentifiers
    ) -> [TailoredSettings] {
        // A service binding may stand beside addresses: names of each are told apart.
        let bindings = [TailoredType.https, .svcb].map(\.rawValue)
        let isBinding = entries.map { $0.fields["type"]?.scalar.map { bindings.contains($0.string) } ?? false }
        let groups = [false, true].map { wanted in
            distinctNames(zip(entries, isBinding).filter { $0.1 == wanted }.map(\.0), in: Self.tailoredSection)
        }
        let settings = groups.joined().compactMap { entry, name -> TailoredSettings? in
            if zones.lacks(name) {
                report(
                    entry.identifier.mark,
                    "\(entry.owner) is in none of the zones (\(zones.excerpt)): add its zone under zones or correct the "
                        + "name")
            }
            let records = records(entry)
            let pool = required("pool", in: entry.fields, example: "pool: web")
                .flatMap { reference($0, from: entry.owner, to: Self.poolSection, known: known.pools) }
            let policy = required("policy", in: entry.fields, example: "policy: nearest")
                .flatMap { reference($0, from: entry.owner, to: Self.policySection, known: known.policies) }
            let views = views(entry, pool: pool, policy: policy, known)
            guard let records, let pool, let policy, let views else { return nil }
            return TailoredSettings(
                name: name, records: records, pool: pool, policy: policy, views: views, mark: entry.fields.mark)
        }
        checkNeighbours(settings)
        return settings.sorted { $0.mark < $1.mark }
    }

    private mutating func records(_ entry: Entry) -> TailoredSettings.Records? {
        let fields = entry.fields
        var type: TailoredType? = .addresses
        if let node = fields["type"] { type = choice(node, name: fields.name("type")) }
        guard let type else { return nil }
        for (key, types) in TailoredType.particular where !types.contains(type) {
            guard let stray = fields.entries.first(where: { $0.key == key }) else { continue }
            let owners = Spelling.alternatives(types.map(\.rawValue))
            report(
                stray.mark, "\(fields.name(key)) belongs to type \(owners), and the type is \(type.rawValue): remove it"
            )
        }
        switch type {
        case .addresses: return .addresses
        case .cname: return .alias
        case .srv:
            var priority: Int? = 0
            if let node = fields["priority"] { priority = integer(node, name: fields.name("priority"), in: 0...65_535) }
            let port = required("port", in: fields, example: "port: 8080").flatMap { self.port($0, fields) }
            guard let port, let priority else { return nil }
            return .services(port: port, priority: UInt16(priority))
        case .https: return binding(.https, defaultPort: 443, fields)
        // The default is the protocol's, which is not known here.
        case .svcb: return binding(.svcb, defaultPort: nil, fields)
        }
    }

    private mutating func binding(
        _ type: RecordType, defaultPort: UInt16?, _ fields: Fields
    ) -> TailoredSettings.Records? {
        var told: UInt16?
        if let node = fields["port"] {
            guard let port = port(node, fields) else { return nil }
            told = port == defaultPort ? nil : port
        }
        guard let protocols = protocols(fields) else { return nil }
        return .binding(.init(type: type, port: told, protocols: protocols))
    }

    private mutating func port(_ node: Node, _ fields: Fields) -> UInt16? {
        integer(node, name: fields.name("port"), in: 1...65_535).map { UInt16($0) }
    }

    private mutating func protocols(_ fields: Fields) -> [String]? {
        guard let node = fields["alpn"] else { return [] }
        let expected = "an ALPN id of at most 255 bytes"
        guard let elements = list(node, name: fields.name("alpn"), of: "ALPN id", example: "alpn: [h2, h3]") else {
            return nil
        }
        var protocols: [String] = []
        for element in elements {
            guard let text = text(element, name: "an entry of \(fields.name("alpn"))", expected: expected) else {
                return nil
            }
            guard text.utf8.count <= 255, !protocols.contains(text) else {
                let remedy = protocols.contains(text) ? "each once: remove it" : "\(expected): shorten it"
                report(element.place, "an entry of \(fields.name("alpn")) is \(element.kind), expected \(remedy)")
                return nil
            }
            protocols.append(text)
        }
        guard protocols.count <= 16 else {
            report(node.place, "\(fields.name("alpn")) has \(protocols.count) ids, expected at most 16: remove some")
            return nil
        }
        return protocols
    }

    /// A service binding stands beside nothing but addresses that are chosen as its hints are.
    private mutating func checkNeighbours(_ settings: [TailoredSettings]) {
        var others: [DomainName: TailoredSettings] = [:]
        for entry in settings {
            if case .binding = entry.records { continue }
            others[entry.name] = entry
        }
        for entry in settings {
            guard case .binding(let binding) = entry.records, let other = others[entry.name] else { continue }
            if other.records != .addresses {
                report(
                    entry.mark,
                    "tailored name \"\(entry.name)\" of type \(binding.type) is tailored at line \(other.mark.line) as another "
                        + "type than addresses: remove one")
            } else if other.pool != entry.pool || other.policy != entry.policy || Set(other.views) != Set(entry.views) {
                report(
                    entry.mark,
                    "tailored name \"\(entry.name)\" of type \(binding.type) has another pool, policy or views than its addresses at line "
                        + "\(other.mark.line), expected the same, so that the hints are its addresses: change one of them"
                )
            }
        }
    }
}
