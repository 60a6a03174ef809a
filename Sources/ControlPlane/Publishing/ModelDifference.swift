import CFastPathABI
package import ModelCompiler
import Resolution
import Steering

/// What distinguishes a model from the one in use. Computed once, on the thread that read the model.
package struct ModelDifference: Hashable, Sendable {
    package var zones: NameChanges
    package var nodes: NameChanges
    /// Names with tailored addresses, and `NAME TYPE` for tailored records of each other type.
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
            name: { "\($0)" }
        ).joined(
            with: NameChanges(
                from: old.tailoredRecords, to: new.tailoredRecords, id: TypedName.init,
                isSame: { $0.isSame(as: $1, old, new) }, name: { "\($0)" }))
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

    /// No change.
    init(total: Int) { self.total = total }

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

    /// The changes of both, the lists cut as usual.
    func joined(with other: NameChanges) -> NameChanges {
        var joined = self
        joined.total += other.total
        joined.count += other.count
        for list in [\NameChanges.added, \.removed, \.changed] {
            joined[keyPath: list] = Array((self[keyPath: list] + other[keyPath: list]).prefix(Self.limit))
        }
        return joined
    }

    private mutating func note(_ name: String, in list: WritableKeyPath<Self, [String]>) {
        count += 1
        if self[keyPath: list].count < Self.limit { self[keyPath: list].append(name) }
    }
}
