import Location

/// The rules of a key, prepared to judge the members of its table.
struct Eligibility: Sendable {
    /// What the rules decide about a member, for the clients of one place.
    enum Verdict: Hashable, Sendable {
        /// A candidate, because of the rule with this index in the key if one applies.
        case candidate(rule: Int?)
        case notAllowed
        case pinnedElsewhere(rule: Int)
        case denied(rule: Int)

        /// 0: candidate; 1: excluded by a geographic rule; 2: denied.
        var stage: UInt8 {
            switch self {
            case .candidate: 0
            case .notAllowed, .pinnedElsewhere: 1
            case .denied: 2
            }
        }
    }

    private struct Rule: Sendable {
        let index: Int
        let rule: GeoRule
        /// By member: whether the rule names it.
        let names: [Bool]
    }

    /// Most specific first; among equally specific rules, `deny` first.
    private let rules: [Rule]
    /// By member: whether some rule allows it.
    private let isAllowedSomewhere: [Bool]

    /// - Parameter members: node index of each member.
    init(_ rules: [GeoRule], members: [Int]) {
        self.rules = rules.enumerated().map { index, rule in
            let named = rule.nodes.map(Set.init)
            return Rule(index: index, rule: rule, names: members.map { named?.contains($0) ?? true })
        }.sorted { left, right in
            let (a, b) = (left.rule, right.rule)
            if a.match.specificity != b.match.specificity { return a.match.specificity > b.match.specificity }
            if (a.action == .deny) != (b.action == .deny) { return a.action == .deny }
            return left.index < right.index
        }
        let allowing = self.rules.filter { $0.rule.action == .allow }
        isAllowedSomewhere = members.indices.map { member in allowing.contains { $0.names[member] } }
    }

    var isEmpty: Bool { rules.isEmpty }

    /// The verdict on each member.
    func verdicts(for place: Place) -> [Verdict] {
        let matching = rules.filter { $0.rule.match.matches(place) }
        return isAllowedSomewhere.indices.map { verdict(member: $0, matching) }
    }

    private func verdict(member: Int, _ matching: [Rule]) -> Verdict {
        var elsewhere: Rule?
        for rule in matching {
            // Several equally specific pins add up: a member that one of them names is not excluded by the others.
            if let elsewhere, elsewhere.rule.match.specificity > rule.rule.match.specificity { break }
            switch (rule.rule.action, rule.names[member]) {
            case (.deny, true): return .denied(rule: rule.index)
            case (.allow, true), (.pin, true): return .candidate(rule: rule.index)
            case (.pin, false): elsewhere = elsewhere ?? rule
            case (.deny, false), (.allow, false): break
            }
        }
        if let elsewhere { return .pinnedElsewhere(rule: elsewhere.index) }
        return isAllowedSomewhere[member] ? .notAllowed : .candidate(rule: nil)
    }
}
