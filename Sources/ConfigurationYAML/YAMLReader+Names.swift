import ConfigurationModel
import Yams

/// `views`, `zones` and `tailored`.
extension YAMLReader {
    mutating func view(_ fields: Fields) -> ViewDeclaration {
        var declaration = ViewDeclaration()
        declaration.id = identifier(.views, in: fields)
        declaration.clients = networks("clients", in: fields)
        declaration.addresses = text("addresses", in: fields, Expected.oneOf(ViewSettings.Addresses.self))
        return declaration
    }

    mutating func zone(_ fields: Fields) -> ZoneDeclaration {
        var declaration = ZoneDeclaration()
        declaration.origin = identifier(.zones, in: fields)
        declaration.file = text("file", in: fields, Expected.path)
        declaration.allow = networks("allow", in: fields)
        declaration.deny = networks("deny", in: fields)
        return declaration
    }

    mutating func alias(_ fields: Fields) -> AliasDeclaration {
        var declaration = AliasDeclaration()
        declaration.name = identifier(.aliases, in: fields)
        declaration.target = text("target", in: fields, Expected.domainName)
        declaration.ttl = integer("ttl", in: fields, .aliasTTL)
        declaration.stale = text("stale", in: fields, TimeSpan.aliasStale.expected)
        return declaration
    }

    mutating func tailored(_ fields: Fields) -> TailoredDeclaration {
        var declaration = TailoredDeclaration()
        declaration.name = identifier(.tailored, in: fields)
        declaration.type = text("type", in: fields, Expected.oneOf(TailoredType.self))
        declaration.pool = reference("pool", in: fields, to: .pools, owner: fields.subject.owner)
        declaration.policy = reference("policy", in: fields, to: .policies, owner: fields.subject.owner)
        declaration.port = integer("port", in: fields, .port)
        declaration.priority = integer("priority", in: fields, .priority)
        declaration.alpn = texts("alpn", in: fields, .alpn, Expected.alpn)
        declaration.views = declared("views", in: fields) { $0.views($1, of: fields) }
        return declaration
    }

    /// Reads a mapping whose keys are ids of views. The rules check which ids exist.
    private mutating func views(_ node: Node, of tailored: Fields) -> [TailoredViewDeclaration]? {
        guard let mapping = node.mapping else {
            report(
                location(node), "\(tailored.name("views")) is \(node.kind), expected a mapping",
                remedy: "write it as {VIEW: {pool: …, policy: …}}")
            return nil
        }
        return mapping.compactMap { key, value in
            guard let id = key.scalar?.string else {
                report(
                    location(key), "a key of \(tailored.name("views")) is \(key.kind), expected the id of a view",
                    remedy: "write it as {VIEW: {pool: …, policy: …}}")
                return nil
            }
            return view(Located(id, at: location(key)), value, of: tailored.subject)
        }
    }

    private mutating func view(
        _ id: Located<String>, _ node: Node, of tailored: Subject
    ) -> TailoredViewDeclaration {
        let subject = tailored.view(id.value)
        let known = TailoredViewDeclaration.Choice.keys
        guard let fields = fields(node, name: subject.owner, subject, known: known) else {
            return TailoredViewDeclaration(view: id, choice: .unreadable)
        }
        var choice = TailoredViewDeclaration.Choice()
        choice.pool = reference("pool", in: fields, to: .pools, owner: subject.owner)
        choice.policy = reference("policy", in: fields, to: .policies, owner: subject.owner)
        return TailoredViewDeclaration(view: id, choice: Declared(choice, at: fields.location, key: id.location))
    }
}
