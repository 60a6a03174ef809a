/// `rules` of policies: which nodes serve which clients.
struct ClientRules: EntryRules, NetworkRules, PlaceRules {
    let context: RuleContext
    let nodes: KnownIdentifiers

    func rules(_ entry: Entry<PolicyDeclaration>) -> [RuleSettings] {
        guard let list = entry.declaration.rules.located else { return [] }
        let name = entry.name("rules")
        requireElements(list.value, at: list.location, name, .rules)
        let rules = list.value.enumerated().flatMap { index, element in
            element.located.map { rule($0, number: index + 1, entry) } ?? []
        }
        let limit = ServerConfiguration.maximumRules
        guard rules.count <= limit else {
            report(
                rules[limit].mark, "\(name) name \(rules.count) matches, expected at most \(limit) in total",
                remedy: "remove \(rules.count - limit)")
            return []
        }
        checkContradictions(rules, of: entry)
        return rules
    }

    private func rule(
        _ element: Located<RuleDeclaration>, number: Int, _ entry: Entry<PolicyDeclaration>
    ) -> [RuleSettings] {
        let scope = Scope(entry.scope.subject.rule(number), at: element.location)
        let matches = matches(element.value, scope)
        guard let (action, ids) = action(element.value, scope) else { return [] }
        return matches.map { RuleSettings(match: $0.value, action: action, nodes: ids, mark: $0.location) }
    }

    // MARK: - Actions

    private func action(
        _ rule: RuleDeclaration, _ scope: Scope
    ) -> (RuleSettings.Action, [String]?)? {
        let all: [(RuleSettings.Action, Declared<RuleNodesDeclaration>)] = [
            (.allow, rule.allow), (.deny, rule.deny), (.pin, rule.pin),
        ]
        let given = all.filter { !$0.1.isAbsent }
        guard let (action, declared) = given.first, given.count == 1 else {
            let marks = given.compactMap { $0.1.located?.key }.sorted()
            let found = given.isEmpty ? "no action" : Spelling.enumeration(given.map(\.0.rawValue))
            report(
                marks.dropFirst().first ?? scope.location,
                "\(scope.owner) has \(found), expected one of \(Expected.oneOf(RuleSettings.Action.self))",
                remedy: "write one")
            return nil
        }
        guard let declared = declared.located else { return nil }
        switch declared.value {
        case .all:
            guard action != .pin else {
                report(
                    declared.location,
                    "pin of \(scope.owner) is \"all\", expected the nodes that alone serve the clients",
                    remedy: "name them, or use allow")
                return nil
            }
            return (action, nil)
        case .nodes(let elements):
            return ids(declared.map { _ in elements }, of: action, scope).map { (action, $0) }
        }
    }

    private func ids(
        _ declared: Located<[Declared<String>]>, of action: RuleSettings.Action, _ scope: Scope
    ) -> [String]? {
        let name = scope.name(action.rawValue)
        requireElements(declared.value, at: declared.location, name, .ruleNodes(action.rawValue))
        var ids: [String] = []
        for element in declared.value {
            guard let element = element.located,
                let id = reference(element, from: scope.owner, to: .nodes, known: nodes)
            else { return nil }
            guard !ids.contains(id) else {
                report(element.location, "\(name) has node \(Spelling.quoted(id)) twice", remedy: "remove one")
                return nil
            }
            ids.append(id)
        }
        return ids.isEmpty ? nil : ids
    }

    /// Two equally specific rules for the same clients must not name the same nodes. Nor may both pin.
    private func checkContradictions(_ rules: [RuleSettings], of entry: Entry<PolicyDeclaration>) {
        var earlier: [RuleSettings.Match: [RuleSettings]] = [:]
        for rule in rules {
            let others = earlier[rule.match, default: []]
            if let other = others.first(where: { Self.contradict($0, rule) }) {
                let found =
                    other.action == rule.action
                    ? "has \(rule.action.rawValue) for \(rule.match) twice, first"
                    : "has \(rule.action.rawValue) for \(rule.match), and \(other.action.rawValue) for the same nodes"
                report(
                    rule.mark, "\(entry.owner) \(found) at \(other.mark.reference(from: rule.mark))",
                    remedy: "keep one of them")
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

    // MARK: - Matches

    private func matches(_ rule: RuleDeclaration, _ scope: Scope) -> [Located<RuleSettings.Match>] {
        let countries = list(rule.countries, "countries", .countries, in: scope) ?? []
        let regions = list(rule.regions, "regions", .regions, in: scope) ?? []
        let continents = list(rule.continents, "continents", .continents, in: scope) ?? []
        let asns = list(rule.asns, "asns", .ruleASNs, in: scope) ?? []
        let prefixes = networks(rule.prefixes, "prefixes", in: scope)
        let labels = list(rule.labels, "labels", .labels, in: scope) ?? []
        func name(_ key: String) -> String { "an entry of \(scope.name(key))" }

        var matches: [Located<RuleSettings.Match>] = []
        func add<Value>(_ element: Located<Value>, _ match: RuleSettings.Match?) {
            if let match { matches.append(element.map { _ in match }) }
        }
        for element in countries { add(element, country(.given(element), name("countries")).map { .country($0) }) }
        for element in regions { add(element, region(element, name("regions"))) }
        for element in continents {
            add(element, continent(.given(element), name("continents")).map { .continent($0) })
        }
        for element in asns { add(element, integer(element, name("asns"), .asn).map { .asn(UInt32($0)) }) }
        matches += prefixes.map { Located(.prefix($0.prefix), at: $0.mark) }
        for element in labels { add(element, label(.given(element), name("labels")).map { .label($0) }) }
        matches += everyone(rule.everyone, scope)
        requireMatch(rule, scope)
        return matches
    }

    private func everyone(_ declared: Declared<Bool>, _ scope: Scope) -> [Located<RuleSettings.Match>] {
        guard let everyone = declared.located else { return [] }
        guard everyone.value else {
            report(
                everyone.location, "\(scope.name("everyone")) is \"false\", expected true", remedy: "remove the key")
            return []
        }
        return [everyone.map { _ in .everyone }]
    }

    private func requireMatch(_ rule: RuleDeclaration, _ scope: Scope) {
        let lists = [rule.countries, rule.regions, rule.continents, rule.prefixes, rule.labels]
        guard rule.asns.isAbsent, rule.everyone.isAbsent, lists.allSatisfy(\.isAbsent) else { return }
        report(
            scope.location,
            "\(scope.owner) does not select any clients, expected "
                + Spelling.alternatives(RuleDeclaration.matches),
            remedy: "add countries: [DE]")
    }

    /// Reads `US-California`.
    private func region(_ element: Located<String>, _ name: String) -> RuleSettings.Match? {
        guard let line = line(element, name, Expected.ruleRegion) else { return nil }
        let parts = line.value.split(separator: "-", maxSplits: 1)
        guard parts.count == 2, CountryCodes.all.contains(parts[0].uppercased()) else {
            report(
                line.location, "\(name) is \(line.quoted), expected \(Expected.ruleRegion)",
                remedy: "write it like US-California")
            return nil
        }
        return .region(country: parts[0].uppercased(), String(parts[1]))
    }
}
