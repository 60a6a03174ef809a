import CFastPathABI

/// What a list says to the clients of its class: candidates in their order, as far as a list can say it.
struct ListedOrder {
    /// At most eight, in whole bands; none where user space decides, or nobody may serve.
    let local: [RankedCandidate]
    /// Nodes that come next, each a band of its own.
    private(set) var behind: ArraySlice<Int>
    /// Whether both together are all candidates.
    private(set) var isComplete: Bool

    /// Keeps what both orders say.
    mutating func keepCommon(with other: ListedOrder) {
        if behind == other.behind {
            isComplete = isComplete && other.isComplete
            return
        }
        var common = 0
        for (left, right) in zip(behind, other.behind) {
            if left != right { break }
            common += 1
        }
        behind = behind.prefix(common)
        isComplete = false
    }

    init() { (local, behind, isComplete) = ([], [], false) }

    /// - Parameter order: one more than list and backstop are to hold, where there are so many.
    init(_ order: [RankedCandidate]) {
        let limit = Int(NC_LOCAL_CANDIDATES)
        guard order.count > limit else {
            (local, behind, isComplete) = (order, [], true)
            return
        }
        let next = order[limit].band
        guard order[limit - 1].band != next else {
            // The next band would not fit whole.
            (local, behind, isComplete) = (Array(order.prefix { $0.band < next }), [], false)
            return
        }
        local = Array(order.prefix(limit))
        let isAll = order.count < FieldCompiler.limit
        var end = limit
        while end < order.count - (isAll ? 0 : 1), end + 1 == order.count || order[end].band != order[end + 1].band {
            end += 1
        }
        behind = order[limit..<end].map(\.node)[...]
        isComplete = isAll && end == order.count
    }
}

/// Puts the members of one field in order for lists.
///
/// What a list cannot say is left to user space: its list is empty and not complete, so that both paths turn to the full
/// order.
struct FieldCompiler {
    /// Nodes behind a list: more of them are seldom common to its class.
    private static let behind = 8
    static let limit = Int(NC_LOCAL_CANDIDATES) + behind + 1

    private let field: Field
    private let ranking: Ranking
    private let isLeftToUserSpace: Bool
    /// Whether it is worth while to look at a part of the field only.
    private let isWide: Bool
    private var parts: [Cube: Field] = [:]

    init(_ field: Field, _ ranking: Ranking) {
        self.field = field
        self.ranking = ranking
        isWide =
            ranking.key.strategy != .order && ranking.key.strategy != .weighted
            && field.members.count > 2 * Self.limit
        // A list holds no band that is longer, and does not count the usable members of a tier.
        isLeftToUserSpace =
            ranking.key.tierMinimum.contains { $0 > 1 }
            || (ranking.key.strategy == .weighted && field.members.count > Int(NC_LOCAL_CANDIDATES))
    }

    mutating func order(around point: SpherePoint?) -> ListedOrder {
        guard !isLeftToUserSpace else { return ListedOrder() }
        let order = ranking.order(in: field(around: point), around: point, limit: Self.limit)
        return order.isEmpty ? ListedOrder() : ListedOrder(order)
    }

    /// The field, or that part of it which matters around `point`.
    private mutating func field(around point: SpherePoint?) -> Field {
        guard let point, isWide else { return field }
        let cube = Cube(around: point)
        if let known = parts[cube] { return known }
        let part = field.part(around: cube, limit: Self.limit)
        parts[cube] = part
        return part
    }
}
