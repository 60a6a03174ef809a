import ConfigurationModel
import Yams

/// `policies`.
extension YAMLReader {
    mutating func policy(_ fields: Fields) -> PolicyDeclaration {
        var declaration = PolicyDeclaration()
        declaration.id = identifier(.policies, in: fields)
        declaration.strategy = text("strategy", in: fields, Expected.oneOf(PolicySettings.Strategy.self))
        declaration.answers = integer("answers", in: fields, .answers)
        declaration.ttl = mapping("ttl", in: fields, known: TTLDeclaration.keys) { reader, fields in
            var ttl = TTLDeclaration()
            ttl.min = reader.integer("min", in: fields, .ttl)
            ttl.max = reader.integer("max", in: fields, .ttl)
            return ttl
        }
        declaration.tolerance = mapping("tolerance", in: fields, known: ToleranceDeclaration.keys) { reader, fields in
            var tolerance = ToleranceDeclaration()
            tolerance.percent = reader.integer("percent", in: fields, .tolerancePercent)
            tolerance.kilometres = reader.integer("kilometres", in: fields, .toleranceKilometres)
            return tolerance
        }
        declaration.ecs = flag("ecs", in: fields)
        declaration.whenAllDown = declared("when_all_down", in: fields) { $0.whenAllDown($1, of: fields) }
        declaration.sameRegion = flag("same_region", in: fields)
        declaration.biasFactor = decimal("bias_factor", in: fields, Expected.fraction)
        declaration.latency = latency(fields)
        declaration.weighBy = text("weigh_by", in: fields, Expected.oneOf(PolicySettings.Weighing.self))
        declaration.maximumDistance = integer("maximum_distance", in: fields, .maximumDistance)
        declaration.rules = list("rules", in: fields, .rules) { reader, node, number in
            reader.rule(node, fields.subject.rule(number))
        }
        return declaration
    }

    /// Reads a path, or a list of them.
    private mutating func latency(_ fields: Fields) -> DeclaredList<String> {
        guard let entry = fields["latency"], entry.value.sequence == nil else {
            return texts("latency", in: fields, .latency, Expected.path)
        }
        return declared("latency", in: fields) { reader, node in
            reader.text(node, name: fields.name("latency"), Expected.path)
                .map { [Declared($0, at: reader.location(node))] }
        }
    }

    /// Reads a word, `{fallback: pool}` or `{addresses: [...]}`.
    private mutating func whenAllDown(_ node: Node, of policy: Fields) -> AllDownDeclaration? {
        let name = policy.name("when_all_down")
        guard node.mapping != nil else { return text(node, name: name, Expected.allDown).map { .word($0) } }
        let subject = policy.subject.nested("when_all_down")
        return fields(node, name: name, subject, known: AllDownDeclaration.keys).map { fields in
            .other(
                fallback: reference("fallback", in: fields, to: .pools, owner: policy.subject.owner),
                addresses: texts("addresses", in: fields, .allDownAddresses, Expected.address))
        }
    }

    private mutating func rule(_ node: Node, _ subject: Subject) -> RuleDeclaration? {
        guard let fields = fields(node, name: subject.owner, subject, known: RuleDeclaration.keys)
        else { return nil }
        var declaration = RuleDeclaration()
        declaration.countries = texts("countries", in: fields, .countries, Expected.country)
        declaration.regions = texts("regions", in: fields, .regions, Expected.ruleRegion)
        declaration.continents = texts("continents", in: fields, .continents, Expected.continent)
        declaration.asns = integers("asns", in: fields, .ruleASNs, .asn)
        declaration.prefixes = networks("prefixes", in: fields)
        declaration.labels = texts("labels", in: fields, .labels, Expected.word)
        declaration.everyone = flag("everyone", in: fields)
        declaration.allow = ruleNodes("allow", in: fields)
        declaration.deny = ruleNodes("deny", in: fields)
        declaration.pin = ruleNodes("pin", in: fields)
        return declaration
    }

    /// Reads `all` or a list of ids.
    private mutating func ruleNodes(_ action: String, in fields: Fields) -> Declared<RuleNodesDeclaration> {
        declared(action, in: fields) { reader, node in
            if node.scalar?.string == "all" { return .all }
            let (name, expected) = ("node of \(fields.subject.owner)", Expected.reference(to: .nodes))
            return reader.elements(node, name: fields.name(action), .ruleNodes(action)) { reader, node, _ in
                reader.text(node, name: name, expected)
            }.map { .nodes($0) }
        }
    }
}
