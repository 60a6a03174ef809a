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

    /// What decides a name for senders in no view, in one model, besides its own hash.
    private struct Decider: Hashable {
        let family: IPFamily
        let chain: SteeringChain?
        let answers: UInt8
        let usesSubnets: Bool

        init(_ name: TailoredName, _ family: IPFamily) {
            self.family = family
            chain = name.choice.chain(family)
            (answers, usesSubnets) = (name.rule.answers, name.rule.ecs != 0)
        }
    }

    private struct Pair: Hashable {
        let before: Decider
        let after: Decider
    }

    private(set) var groups: [Group] = []
    /// What may differ and is not measured: choices for views, and tailored records of other types.
    private(set) var unmeasured: [String] = []

    init(from before: ServingModel, to after: ServingModel) {
        let later = Dictionary(after.tailored.enumerated().map { ($0.element.name, $0.offset) }) { first, _ in first }
        var comparison = Comparison(before, after)
        var known: [Pair: Int?] = [:]
        for (index, name) in before.tailored.enumerated() {
            guard let other = later[name.name] else { continue }
            if !comparison.hasSameViews(name, after.tailored[other]) { unmeasured.append("\(name.name) in views") }
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
        compareRecords(before, after, &comparison)
    }

    private mutating func compareRecords(
        _ before: ServingModel, _ after: ServingModel, _ comparison: inout Comparison
    ) {
        struct ID: Hashable {
            let name: DomainName
            let type: RecordType
        }
        let later = Dictionary(after.tailoredRecords.map { (ID(name: $0.name, type: $0.type), $0) }) { first, _ in first
        }
        for records in before.tailoredRecords {
            guard let other = later[ID(name: records.name, type: records.type)] else { continue }
            if !comparison.isSame(records, other) { unmeasured.append("\(records.name) \(records.type)") }
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

        /// Whether all clients in no view get the same nodes. In doubt, false.
        mutating func isSame(_ old: Decider, _ new: Decider) -> Bool {
            // A new location table moves clients from one place to another.
            isOneLocation && old.answers == new.answers && old.usesSubnets == new.usesSubnets
                && isSame(old.chain, new.chain)
        }

        /// Whether senders in views get the same nodes. In doubt, false.
        mutating func hasSameViews(_ old: TailoredName, _ new: TailoredName) -> Bool {
            guard !(old.views.isEmpty && new.views.isEmpty) else { return true }
            // The most specific network decides, so any other view may take clients away.
            guard isOneLocation, before.views.views == after.views.views, old.views.count == new.views.count else {
                return false
            }
            for (view, choice) in old.views {
                guard let other = new.views[view], choice.rule.answers == other.rule.answers,
                    choice.rule.ecs == other.rule.ecs, isSame(choice.v4, other.v4), isSame(choice.v6, other.v6)
                else { return false }
            }
            return true
        }

        /// Whether all clients are led to the same nodes. In doubt, false.
        mutating func isSame(_ old: TailoredRecords, _ new: TailoredRecords) -> Bool {
            let hasViews = !(old.views.isEmpty && new.views.isEmpty)
            guard isOneLocation, !hasViews || before.views.views == after.views.views,
                old.views.count == new.views.count, isSame(old.choice, new.choice)
            else { return false }
            for (view, choice) in old.views {
                guard let other = new.views[view], isSame(choice, other) else { return false }
            }
            return true
        }

        private mutating func isSame(_ old: TailoredRecords.Choice, _ new: TailoredRecords.Choice) -> Bool {
            guard old.rule.answers == new.rule.answers, old.rule.ecs == new.rule.ecs else { return false }
            switch (old.content, new.content) {
            case (.services(let own, let fallback), .services(let others, let otherFallback)):
                return own.map(\.data) == others.map(\.data) && fallback.map(\.data) == otherFallback.map(\.data)
            case (.alias(let chain, let hosts), .alias(let other, let otherHosts)):
                return hosts == otherHosts && isSame(chain, other)
            case (.texts(let chain, let texts), .texts(let other, let otherTexts)):
                return texts == otherTexts && isSame(chain, other)
            case (.exchanges(let chain, _, let hosts), .exchanges(let other, _, let otherHosts)):
                return hosts == otherHosts && isSame(chain, other)
            case (.binding(_, let v4, let v6, _), .binding(_, let otherV4, let otherV6, _)):
                return isSame(v4, otherV4) && isSame(v6, otherV6)
            default: return false
            }
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
