import Yams

/// `pools` and `policies`.
extension ConfigurationReader {
    static let poolSection = Section(
        key: "pools", word: "pool", identifier: "id", known: ["id", "nodes"],
        identifierExample: "web",
        example: "pools: [{id: web, nodes: [fra1]}]")

    static let policySection = Section(
        key: "policies", word: "policy", identifier: "id",
        known: ["id", "strategy", "answers", "ttl", "tolerance", "ecs", "when_all_down"],
        identifierExample: "nearest",
        example: "policies: [{id: nearest, strategy: nearest}]")

    /// Strategies that are planned, so that their names are recognised.
    static let laterStrategies = ["linear", "quadratic", "logarithmic", "stepped"]

    // MARK: - Pools

    mutating func pools(_ entries: [Entry], nodes known: KnownIdentifiers) -> [PoolSettings] {
        distinct(entries, in: Self.poolSection).compactMap { entry in
            guard let node = required("nodes", in: entry.fields, example: "nodes: [fra1]"),
                let elements = list(
                    node, name: entry.fields.name("nodes"), of: "node", example: "nodes: [fra1, nyc1]")
            else { return nil }
            var first: [String: SourceMark] = [:]
            let members = elements.compactMap { element -> PoolMember? in
                guard let member = member(element, owner: entry.owner, known: known) else { return nil }
                if let earlier = first[member.node] {
                    report(
                        member.mark,
                        "\(entry.owner) has node \(Spelling.quoted(member.node)) twice, first at line \(earlier.line): "
                            + "remove one, and use weight to give it a larger share")
                    return nil
                }
                first[member.node] = member.mark
                return member
            }
            guard !members.isEmpty else { return nil }
            return PoolSettings(id: entry.identifier.text, members: members, mark: entry.fields.mark)
        }
    }

    /// Reads `fra1` or `{id: fra1, weight: 10}`.
    private mutating func member(_ node: Node, owner: String, known: KnownIdentifiers) -> PoolMember? {
        guard node.mapping != nil else {
            return reference(node, from: owner, to: Self.nodeSection, known: known)
                .map { PoolMember(node: $0, weight: 1, mark: node.place) }
        }
        let name = "an entry of nodes of \(owner)"
        guard let fields = fields(node, name: name, prefix: "", owner: name, known: ["id", "weight"]),
            let idNode = required("id", in: fields, example: "id: fra1"),
            let id = reference(idNode, from: owner, to: Self.nodeSection, known: known)
        else { return nil }
        var weight: Int? = 1
        if let weightNode = fields["weight"] {
            weight = integer(weightNode, name: "weight of node \(Spelling.quoted(id)) in \(owner)", in: 1...65_535)
        }
        return weight.map { PoolMember(node: id, weight: UInt16($0), mark: idNode.place) }
    }

    // MARK: - Policies

    mutating func policies(_ entries: [Entry]) -> [PolicySettings] {
        distinct(entries, in: Self.policySection).compactMap { policy($0) }
    }

    private mutating func policy(_ entry: Entry) -> PolicySettings? {
        let fields = entry.fields
        var strategy: PolicySettings.Strategy? = .nearest
        if let node = fields["strategy"] {
            strategy = choice(node, name: fields.name("strategy"), later: Self.laterStrategies)
        }
        var rule: PolicySettings.AllDownRule? = .open
        if let node = fields["when_all_down"] { rule = choice(node, name: fields.name("when_all_down")) }
        var ecs: Bool? = true
        if let node = fields["ecs"] { ecs = boolean(node, name: fields.name("ecs")) }
        let answers = integer("answers", in: fields, 1...8, default: 1)
        let ttl = ttl(entry)
        let tolerance = tolerance(entry)
        guard let strategy, let rule, let ecs, let answers, let ttl, let tolerance else { return nil }
        return PolicySettings(
            id: entry.identifier.text, strategy: strategy, answers: answers, ttlMin: UInt32(ttl.min),
            ttlMax: UInt32(ttl.max), tolerancePercent: tolerance.percent, toleranceKilometres: tolerance.kilometres,
            usesClientSubnet: ecs, whenAllDown: rule, mark: fields.mark)
    }

    private mutating func integer(
        _ key: String, in fields: Fields, _ range: ClosedRange<Int>, unit: String = "", default fallback: Int
    ) -> Int? {
        guard let node = fields[key] else { return fallback }
        return integer(node, name: fields.name(key), in: range, unit: unit)
    }

    private mutating func ttl(_ entry: Entry) -> (min: Int, max: Int)? {
        guard let node = entry.fields["ttl"] else { return (10, 60) }
        let name = entry.fields.name("ttl")
        guard let fields = fields(node, name: name, prefix: "ttl.", owner: entry.owner, known: ["min", "max"])
        else { return nil }
        let range = 1...Int(Int32.max)
        let min = integer("min", in: fields, range, unit: "seconds", default: 10)
        let max = integer("max", in: fields, range, unit: "seconds", default: 60)
        guard let min, let max else { return nil }
        guard min <= max else {
            let lower = fields["min"] == nil ? "\(min) (the default)" : "\(min)"
            let upper = fields["max"] == nil ? "\(max) (the default)" : "\(max)"
            report(
                (fields["min"] ?? node).place,
                "\(fields.name("min")) is \(lower) and max is \(upper), expected min not above max: change one of them")
            return nil
        }
        return (min, max)
    }

    private mutating func tolerance(_ entry: Entry) -> (percent: Int, kilometres: Int)? {
        guard let node = entry.fields["tolerance"] else { return (0, 0) }
        let known = ["percent", "kilometres"]
        guard
            let fields = fields(
                node, name: entry.fields.name("tolerance"), prefix: "tolerance.", owner: entry.owner, known: known)
        else { return nil }
        let percent = integer("percent", in: fields, 0...100, default: 0)
        let kilometres = integer("kilometres", in: fields, 0...20_000, default: 0)
        guard let percent, let kilometres else { return nil }
        guard percent == 0 || kilometres == 0 else {
            report(
                fields.mark,
                "tolerance of \(entry.owner) sets both percent and kilometres, expected one of them: remove the other")
            return nil
        }
        return (percent, kilometres)
    }
}
