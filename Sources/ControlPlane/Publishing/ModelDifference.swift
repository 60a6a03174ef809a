import CFastPathABI
package import ModelCompiler
import Resolution
import Steering

/// What distinguishes a model from the one in use. Computed once, on the thread that read the model.
package struct ModelDifference: Hashable, Sendable {
    package var zones: NameChanges
    package var nodes: NameChanges
    package var tailored: NameChanges
    /// Whether another geographic database is used.
    package var database: Bool
    /// Whether the candidate lists were computed again.
    package var steering: Bool
    /// Whether anything that is served differs.
    package var isAny: Bool
    /// Whether only the contents of zones may differ.
    package var isInZonesAlone: Bool

    package init(from earlier: LoadedModel, to next: LoadedModel) {
        let (old, new) = (earlier.model, next.model)
        zones = NameChanges(
            from: earlier.zones, to: next.zones, id: \.origin, isSame: { $0.zone === $1.zone }, name: { "\($0)" })
        nodes = NameChanges(from: old.steering.nodes, to: new.steering.nodes, id: \.id, isSame: ==, name: { $0 })
        tailored = NameChanges(
            from: old.tailored, to: new.tailored, id: \.name, isSame: { $0.isSame(as: $1, old, new) },
            name: { "\($0)" })
        database = earlier.geo.table !== next.geo.table
        steering = old.steering.lists !== new.steering.lists
        isAny =
            zones.count + nodes.count + tailored.count > 0 || database || steering || old.digest != new.digest
        isInZonesAlone =
            next.surroundingsDigest == earlier.surroundingsDigest && new.steering.lists === old.steering.lists
            && new.location === old.location
    }
}

/// Names that came, went, or mean something else now. The lists hold the first 100 names each.
package struct NameChanges: Hashable, Sendable {
    package var total: Int
    package var added: [String] = []
    package var removed: [String] = []
    package var changed: [String] = []
    /// How many there are of all three.
    package var count = 0

    private static let limit = 100

    init<Element, ID: Hashable>(
        from earlier: [Element], to next: [Element], id: (Element) -> ID, isSame: (Element, Element) -> Bool,
        name: (ID) -> String
    ) {
        total = next.count
        // Most often the same in the same order: no need for a dictionary of 100,000 names.
        if earlier.count == next.count, zip(earlier, next).allSatisfy({ id($0) == id($1) }) {
            for (old, new) in zip(earlier, next) where !isSame(old, new) { note(name(id(new)), in: \.changed) }
            return
        }
        var rest = Dictionary(earlier.map { (id($0), $0) }) { first, _ in first }
        for element in next {
            let id = id(element)
            guard let old = rest.removeValue(forKey: id) else {
                note(name(id), in: \.added)
                continue
            }
            if !isSame(old, element) { note(name(id), in: \.changed) }
        }
        for element in earlier where rest[id(element)] != nil { note(name(id(element)), in: \.removed) }
    }

    private mutating func note(_ name: String, in list: WritableKeyPath<Self, [String]>) {
        count += 1
        if self[keyPath: list].count < Self.limit { self[keyPath: list].append(name) }
    }
}

extension TailoredName {
    /// Whether both are decided alike, given the same nodes. Pool and policy are names for people.
    fileprivate func isSame(as other: TailoredName, _ model: ServingModel, _ otherModel: ServingModel) -> Bool {
        // Views are compared by their names and clients: their numbers change.
        func views(_ name: TailoredName, _ model: ServingModel) -> [Views.View: AddressChoice] {
            Dictionary(name.views.map { (model.views.views[$0.key], $0.value) }) { first, _ in first }
        }
        let (own, others) = (views(self, model), views(other, otherModel))
        return choice.isSame(as: other.choice, model, otherModel) && own.count == others.count
            && own.allSatisfy { view, choice in
                others[view].map { choice.isSame(as: $0, model, otherModel) } ?? false
            }
    }
}

extension AddressChoice {
    fileprivate func isSame(as other: AddressChoice, _ model: ServingModel, _ otherModel: ServingModel) -> Bool {
        isSame(v4, other.v4, model, otherModel) && isSame(v6, other.v6, model, otherModel)
            && pool == other.pool && policy == other.policy && rule.ttl_min == other.rule.ttl_min
            && rule.ttl_max == other.rule.ttl_max && rule.answers == other.rule.answers
            && rule.all_down == other.rule.all_down && rule.ecs == other.rule.ecs
    }

    private func isSame(
        _ chain: SteeringChain?, _ other: SteeringChain?, _ model: ServingModel, _ otherModel: ServingModel
    ) -> Bool {
        guard let chain, let other else { return chain == nil && other == nil }
        return chain.isOpen == other.isOpen && chain.addresses == other.addresses
            && chain.steps.elementsEqual(other.steps) { step, other in
                step.isOverlay == other.isOverlay && step.isFallback == other.isFallback
                    && model.steering.tables[step.table].key == otherModel.steering.tables[other.table].key
            }
    }
}
