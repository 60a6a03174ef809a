import CFastPathABI
import DNSWire
import IPNetworks
import Resolution
import Steering

/// The tailored names that two models may answer differently, in groups that are decided alike.
struct TouchedNames {
    /// Names that agree in everything that decides, in both models.
    struct Group {
        /// Indices in the earlier and in the later model, in the order of the earlier one.
        fileprivate(set) var indices: [(before: Int, after: Int)]
        fileprivate(set) var names: [DomainName]
        let family: IPFamily
    }

    /// What decides a name in one model, besides its own hash.
    private struct Decider: Hashable {
        let family: IPFamily
        let chain: SteeringChain?
        let answers: UInt8
        let usesSubnets: Bool
        let views: [Int: SteeringChain?]

        init(_ name: TailoredName, _ family: IPFamily) {
            self.family = family
            chain = name.choice.chain(family)
            (answers, usesSubnets) = (name.rule.answers, name.rule.ecs != 0)
            views = name.views.mapValues { $0.chain(family) }
        }
    }

    private struct Pair: Hashable {
        let before: Decider
        let after: Decider
    }

    private(set) var groups: [Group] = []

    init(from before: ServingModel, to after: ServingModel) {
        let later = Dictionary(after.tailored.enumerated().map { ($0.element.name, $0.offset) }) { first, _ in first }
        var comparison = Comparison(before, after)
        var known: [Pair: Int?] = [:]
        for (index, name) in before.tailored.enumerated() {
            guard let other = later[name.name] else { continue }
            for family in IPFamily.allCases {
                let pair = Pair(
                    before: Decider(name, family), after: Decider(after.tailored[other], family))
                switch known[pair] {
                case .some(.none): continue
                case .some(.some(let group)):
                    groups[group].indices.append((index, other))
                    groups[group].names.append(name.name)
                case nil:
                    guard !comparison.isSame(pair.before, pair.after) else {
                        known[pair] = .some(nil)
                        continue
                    }
                    known[pair] = groups.count
                    groups.append(Group(indices: [(index, other)], names: [name.name], family: family))
                }
            }
        }
    }

    /// Compares what decides names in two models.
    private struct Comparison {
        private let before: ServingModel
        private let after: ServingModel
        private let numbers: [Int?]
        private let isOneLocation: Bool
        private var tables: [[Int]: Bool] = [:]

        init(_ before: ServingModel, _ after: ServingModel) {
            (self.before, self.after) = (before, after)
            numbers = before.steering.numbers(in: after.steering)
            isOneLocation = before.location === after.location
        }

        /// Whether all clients get the same nodes. In doubt, false.
        mutating func isSame(_ old: Decider, _ new: Decider) -> Bool {
            // A new location table moves clients from one place to another.
            guard isOneLocation, old.answers == new.answers, old.usesSubnets == new.usesSubnets else { return false }
            guard isSame(old.chain, new.chain), old.views.count == new.views.count else { return false }
            for (view, chain) in old.views {
                let content = before.views.views[view]
                guard let number = after.views.views.firstIndex(of: content), let other = new.views[number],
                    isSame(chain, other)
                else { return false }
            }
            return true
        }

        private mutating func isSame(_ old: SteeringChain?, _ new: SteeringChain?) -> Bool {
            guard let old, let new else { return old == nil && new == nil }
            guard old.isOpen == new.isOpen, old.addresses == new.addresses, old.steps.count == new.steps.count else {
                return false
            }
            for (step, other) in zip(old.steps, new.steps) {
                guard step.isOverlay == other.isOverlay, step.isFallback == other.isFallback,
                    isSame(table: step.table, other.table)
                else { return false }
            }
            return true
        }

        private mutating func isSame(table: Int, _ other: Int) -> Bool {
            if let known = tables[[table, other]] { return known }
            let isSame = before.steering.isSame(table, as: other, of: after.steering, numbers)
            tables[[table, other]] = isSame
            return isSame
        }
    }
}
