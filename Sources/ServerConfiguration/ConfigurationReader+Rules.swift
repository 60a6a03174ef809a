import IPNetworks
import Yams

/// `rules` of policies.
extension ConfigurationReader {
    private static let matches = ["countries", "regions", "continents", "asns", "prefixes", "labels", "everyone"]
    private static let actions = RuleSettings.Action.allCases.map(\.rawValue)
    private static let ruleExample = "rules: [{countries: [DE], pin: [fra1]}]"

    mutating func rules(_ entry: Entry, _ nodes: KnownIdentifiers) -> [RuleSettings] {
        guard let node = entry.fields["rules"],
            let elements = list(node, name: entry.fields.name("rules"), of: "rule", example: Self.ruleExample)
        else { return [] }
        let rules = elements.enumerated().flatMap { rule($1, number: $0 + 1, entry, nodes) }
        let limit = ServerConfiguration.maximumRules
        guard rules.count <= limit else {
            report(
                rules[limit].mark,
                "\(entry.fields.name("rules")) name \(rules.count) things, expected at most \(limit) in all: remove "
                    + "\(rules.count - limit)")
            return []
        }
        checkContradictions(rules, of: entry)
        return rules
    }

    private mutating func rule(
        _ node: Node, number: Int, _ entry: Entry, _ nodes: KnownIdentifiers
    ) -> [RuleSettings] {
        let owner = "rule \(number) of \(entry.owner)"
        guard let fields = fields(node, name: owner, prefix: "", owner: owner, known: Self.matches + Self.actions)
        else { return [] }
        let matches = Self.matches.flatMap { key in
            fields[key].map { self.matches($0, key, fields) } ?? []
        }
        if !fields.entries.contains(where: { Self.matches.contains($0.key) }) {
            report(
                fields.mark,
                "\(owner) does not say which clients it is about, expected \(Spelling.alternatives(Self.matches)): add "
                    + "countries: [DE]")
        }
        guard let (action, ids) = action(fields, owner, nodes) else { return [] }
        return matches.map { RuleSettings(match: $0.match, action: action, nodes: ids, mark: $0.mark) }
    }

    // MARK: - What is done

    private mutating func action(
        _ fields: Fields, _ owner: String, _ nodes: KnownIdentifiers
    ) -> (RuleSettings.Action, [String]?)? {
        let given = fields.entries.filter { Self.actions.contains($0.key) }
        guard let entry = given.first, given.count == 1, let action = RuleSettings.Action(rawValue: entry.key) else {
            let words = Spelling.alternatives(Self.actions)
            let found = given.isEmpty ? "no action" : Spelling.enumeration(given.map(\.key))
            report(
                given.dropFirst().first?.mark ?? fields.mark,
                "\(owner) has \(found), expected one of \(words): write one")
            return nil
        }
        if entry.value.scalar?.string == "all" {
            guard action != .pin else {
                report(
                    entry.value.place,
                    "pin of \(owner) is \"all\", expected the nodes that alone serve the clients: name them, or use allow"
                )
                return nil
            }
            return (action, nil)
        }
        let example = "\(action.rawValue): [fra1]"
        guard
            let elements = list(
                entry.value, name: fields.name(entry.key), of: "node", example: "\(example) or \(action.rawValue): all")
        else { return nil }
        var ids: [String] = []
        for element in elements {
            guard let id = reference(element, from: owner, to: Self.nodeSection, known: nodes) else { return nil }
            guard !ids.contains(id) else {
                report(element.place, "\(fields.name(entry.key)) has node \(Spelling.quoted(id)) twice: remove one")
                return nil
            }
            ids.append(id)
        }
        return (action, ids)
    }

    /// Two rules for the same clients, of which none is more specific, must not speak of the same nodes; nor can two pin.
    private mutating func checkContradictions(_ rules: [RuleSettings], of entry: Entry) {
        var earlier: [RuleSettings.Match: [RuleSettings]] = [:]
        for rule in rules {
            let others = earlier[rule.match, default: []]
            if let other = others.first(where: { Self.contradict($0, rule) }) {
                let found =
                    other.action == rule.action
                    ? "has \(rule.action.rawValue) for \(rule.match) twice, first"
                    : "has \(rule.action.rawValue) for \(rule.match), and \(other.action.rawValue) for the same nodes"
                report(rule.mark, "\(entry.owner) \(found) at line \(other.mark.line): keep one of them")
            }
            earlier[rule.match] = others + [rule]
        }
    }

    private static func contradict(_ left: RuleSettings, _ right: RuleSettings) -> Bool {
        if left.action == right.action || left.action == .pin && right.action == .allow
            || left.action == .allow && right.action == .pin
        {
            return true
        }
        guard let first = left.nodes, let second = right.nodes else { return true }
        return !Set(first).isDisjoint(with: second)
    }

    // MARK: - Who it is about

    private mutating func matches(
        _ node: Node, _ key: String, _ fields: Fields
    ) -> [(match: RuleSettings.Match, mark: SourceMark)] {
        if key == "everyone" {
            guard let isEveryone = boolean(node, name: fields.name(key)) else { return [] }
            guard isEveryone else {
                report(node.place, "\(fields.name(key)) is \"false\", expected true: remove the key")
                return []
            }
            return [(.everyone, node.place)]
        }
        if key == "prefixes" { return networks(key, in: fields).map { (.prefix($0.prefix), $0.mark) } }
        let examples = [
            "countries": "[DE, AT]", "regions": "[US-California]", "continents": "[EU]", "asns": "[64500]",
            "labels": "[office]",
        ]
        guard
            let elements = list(
                node, name: fields.name(key), of: "entry", example: "\(key): \(examples[key] ?? "")")
        else { return [] }
        return elements.compactMap { element in
            match(element, key, "an entry of \(fields.name(key))").map { ($0, element.place) }
        }
    }

    private mutating func match(_ node: Node, _ key: String, _ name: String) -> RuleSettings.Match? {
        switch key {
        case "countries": return countryCode(node, name: name).map { .country($0) }
        case "continents": return continentCode(node, name: name).map { .continent($0) }
        case "regions": return region(node, name)
        case "asns": return integer(node, name: name, in: 1...Int(UInt32.max)).map { .asn(UInt32($0)) }
        default:
            let expected = "1 to 63 letters, digits, dots, hyphens or underscores"
            guard let text = text(node, name: name, expected: expected) else { return nil }
            guard Self.isID(text) else {
                report(node.place, "\(name) is \(node.kind), expected \(expected): rename it")
                return nil
            }
            return .label(text)
        }
    }

    /// Reads `US-California`.
    private mutating func region(_ node: Node, _ name: String) -> RuleSettings.Match? {
        let expected = "a country's code, a hyphen and the region as the city database names it"
        guard let text = text(node, name: name, expected: expected) else { return nil }
        let parts = text.split(separator: "-", maxSplits: 1)
        guard parts.count == 2, CountryCodes.all.contains(parts[0].uppercased()) else {
            report(node.place, "\(name) is \(node.kind), expected \(expected): write it like US-California")
            return nil
        }
        return .region(country: parts[0].uppercased(), String(parts[1]))
    }
}
