import Location

/// The rules of a key, ready to judge the members of its table.
struct Eligibility: Sendable {
    /// What the rules say of a member, for the clients of one place.
    enum Verdict: Hashable, Sendable {
        /// By the rule with this index in the key, if one speaks of it.
        case candidate(rule: Int?)
        case notAllowed
        case pinnedElsewhere(rule: Int)
        case denied(rule: Int)

        /// 0 for candidates, 1 for those whom rules of geography keep away, 2 for those who are denied.
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

    /// Most specific first, and of equally specific ones those who deny.
    private let rules: [Rule]
    /// By member: whether some rule allows it.
    private let isAllowedSomewhere: [Bool]

    /// - Parameter members: their nodes.
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
            // A member that one of several equally specific pins names is not pinned elsewhere by the others.
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
