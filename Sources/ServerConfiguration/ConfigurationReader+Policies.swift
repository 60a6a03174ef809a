import IPNetworks
import Yams

/// `policies`.
extension ConfigurationReader {
    static let policySection = Section(
        key: "policies", word: "policy", identifier: "id",
        known: [
            "id", "strategy", "answers", "ttl", "tolerance", "ecs", "when_all_down", "same_region", "bias_factor",
            "latency",
            "weigh_by", "maximum_distance", "rules",
        ],
        identifierExample: "nearest",
        example: "policies: [{id: nearest, strategy: nearest}]")

    /// Keys that only some strategies have.
    private static let particular: [(key: String, strategies: [PolicySettings.Strategy])] = [
        ("same_region", PolicySettings.Strategy.original), ("bias_factor", PolicySettings.Strategy.original),
        ("latency", [.latency]),
        ("tolerance", PolicySettings.Strategy.allCases.filter { ![.static, .weighted].contains($0) }),
    ]

    mutating func policies(
        _ entries: [Entry], nodes: KnownIdentifiers, pools: KnownIdentifiers
    ) -> [PolicySettings] {
        distinct(entries, in: Self.policySection).compactMap { policy($0, nodes, pools) }
    }

    private mutating func policy(
        _ entry: Entry, _ nodes: KnownIdentifiers, _ pools: KnownIdentifiers
    ) -> PolicySettings? {
        let fields = entry.fields
        let strategy = word("strategy", in: fields, default: PolicySettings.Strategy.nearest)
        if let strategy { checkKeys(of: strategy, in: fields) }
        let weighing = word("weigh_by", in: fields, default: PolicySettings.Weighing.weight)
        let whenAllDown = whenAllDown(entry, pools)
        let ecs = fields["ecs"].map { boolean($0, name: fields.name("ecs")) } ?? true
        let answers = integer("answers", in: fields, 1...8, default: strategy?.isOriginal == true ? 3 : 1)
        let ttl = ttl(entry)
        let tolerance = tolerance(entry, strategy)
        let scoring = scoring(fields)
        let latency = latency(fields, strategy)
        var maximum: Int?
        if let node = fields["maximum_distance"] {
            maximum = integer(node, name: fields.name("maximum_distance"), in: 1...20_038, unit: "kilometres")
        }
        let rules = rules(entry, nodes)
        guard let strategy, let weighing, let whenAllDown, let ecs, let answers, let ttl, let tolerance, let scoring
        else { return nil }
        return PolicySettings(
            id: entry.identifier.text, strategy: strategy, scoring: scoring, latency: latency, weighBy: weighing,
            maximumKilometres: maximum, rules: rules, answers: answers, ttlMin: UInt32(ttl.min),
            ttlMax: UInt32(ttl.max), tolerancePercent: tolerance.percent, toleranceKilometres: tolerance.kilometres,
            usesClientSubnet: ecs, whenAllDown: whenAllDown, mark: fields.mark)
    }

    private mutating func word<Choice: RawRepresentable<String> & CaseIterable>(
        _ key: String, in fields: Fields, default fallback: Choice
    ) -> Choice? {
        guard let node = fields[key] else { return fallback }
        return choice(node, name: fields.name(key))
    }

    private mutating func checkKeys(of strategy: PolicySettings.Strategy, in fields: Fields) {
        for (key, strategies) in Self.particular where !strategies.contains(strategy) {
            guard let stray = fields.entries.first(where: { $0.key == key }) else { continue }
            let owners = Spelling.alternatives(strategies.map(\.rawValue))
            report(
                stray.mark,
                "\(fields.name(key)) belongs to strategy \(owners), and the strategy is \(strategy.rawValue): remove it"
            )
        }
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

    private mutating func tolerance(
        _ entry: Entry, _ strategy: PolicySettings.Strategy?
    ) -> (percent: Int, kilometres: Int)? {
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
        if let strategy, strategy.isOriginal || strategy == .latency, kilometres > 0, let node = fields["kilometres"] {
            report(
                node.place,
                "\(fields.name("kilometres")) is \(kilometres), and strategy \(strategy.rawValue) does not rank by "
                    + "kilometres: use percent")
        }
        return (percent, kilometres)
    }

    /// `when_all_down`: a word, `{fallback: pool}` or `{addresses: [...]}`.
    private mutating func whenAllDown(_ entry: Entry, _ pools: KnownIdentifiers) -> PolicySettings.AllDownRule? {
        guard let node = entry.fields["when_all_down"] else { return .open }
        let name = entry.fields.name("when_all_down")
        let expected = "open, refuse, {fallback: POOL} or {addresses: [ADDRESS]}"
        guard node.mapping != nil else {
            guard let text = text(node, name: name, expected: expected) else { return nil }
            switch text {
            case "open": return .open
            case "refuse": return .refuse
            default:
                let remedy = Spelling.nearest(to: text, among: ["open", "refuse"]).map { "did you mean \($0)?" }
                report(node.place, "\(name) is \(node.kind), expected \(expected): \(remedy ?? "write one of them")")
                return nil
            }
        }
        guard
            let fields = fields(
                node, name: name, prefix: "when_all_down.", owner: entry.owner, known: ["fallback", "addresses"])
        else { return nil }
        guard fields.entries.count == 1 else {
            report(
                node.place,
                "\(name) is \(fields.entries.isEmpty ? "empty" : "both"), expected \(expected): write one of them")
            return nil
        }
        if let node = fields["fallback"] {
            return reference(node, from: entry.owner, to: Self.poolSection, known: pools).map { .fallback(pool: $0) }
        }
        return fields["addresses"].flatMap { addresses($0, fields) }.map { .addresses($0) }
    }

    private mutating func addresses(_ node: Node, _ fields: Fields) -> [IPAddress]? {
        let name = fields.name("addresses")
        let example = "addresses: [192.0.2.1]"
        guard let elements = list(node, name: name, of: "IP address", example: example) else { return nil }
        var addresses: [IPAddress] = []
        for element in elements {
            guard let address = address(element, owner: name) else { return nil }
            if let kind = address.kindOfNoServer {
                report(
                    element.place,
                    "\(name) has \(address), \(kind), expected an address that clients can reach a server at: correct it"
                )
                return nil
            }
            guard !addresses.contains(address) else {
                report(element.place, "\(name) has \(address) twice: remove one")
                return nil
            }
            addresses.append(address)
        }
        guard IPFamily.allCases.allSatisfy({ family in addresses.count { $0.family == family } <= 8 }) else {
            report(node.place, "\(name) has more than 8 addresses of a family, expected at most 8: remove some")
            return nil
        }
        return addresses
    }
}

extension IPAddress {
    /// What makes it an address that no server is reached at by its clients; nil for others.
    fileprivate var kindOfNoServer: String? {
        func isIn(_ text: String) -> Bool { IPPrefix(text)?.contains(self) == true }
        // RFC 1122, section 3.2.1.3; RFC 5771; RFC 4291, sections 2.5.2, 2.5.3 and 2.7.
        if isIn("0.0.0.0/8") || self == .v6(0) { return "which stands for no host" }
        if isIn("127.0.0.0/8") || self == .v6(1) { return "which is the client's own (loopback)" }
        if isIn("224.0.0.0/4") || isIn("ff00::/8") { return "which is multicast" }
        return self == .v4(.max) ? "which is broadcast" : nil
    }
}
