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
        keepCommon(behind: other.behind, isComplete: other.isComplete)
    }

    /// - Parameters: of the other order.
    mutating func keepCommon(behind other: some Collection<Int>, isComplete otherIsComplete: Bool) {
        var common = 0
        for (left, right) in zip(behind, other) {
            if left != right { break }
            common += 1
        }
        if common == behind.count, common == other.count {
            isComplete = isComplete && otherIsComplete
        } else {
            behind = behind.prefix(common)
            isComplete = false
        }
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
    /// By number of the cube.
    private var parts: [Field?]
    /// Nil where more than the distance decides.
    private(set) var nearest: NearestMembers?
    /// The same parts as `nearest` looks at them.
    private var vicinities: [Vicinity?]

    /// - Parameter cubes: that clients' places are in.
    init(_ field: Field, _ ranking: Ranking, cubes: Int) {
        self.field = field
        self.ranking = ranking
        isWide = ranking.comparesDistances && field.members.count > 2 * Self.limit
        parts = isWide ? Array(repeating: nil, count: cubes) : []
        // A list holds no band that is longer, and does not count the usable members of a tier.
        isLeftToUserSpace =
            ranking.key.tierMinimum.contains { $0 > 1 }
            || (ranking.key.strategy == .weighted && field.members.count > Int(NC_LOCAL_CANDIDATES))
        let isPlain =
            !isLeftToUserSpace && ranking.isPlainDistance && field.groups.count == 1
            && field.groups.allSatisfy { $0.circumstance.isLocated }
        nearest = isPlain ? NearestMembers(of: ranking, limit: Self.limit) : nil
        vicinities = isPlain ? Array(repeating: nil, count: cubes) : []
    }

    /// - Parameter cube: number of the one that holds `point`.
    mutating func order(around point: SpherePoint?, cube: Int) -> ListedOrder {
        guard !isLeftToUserSpace else { return ListedOrder() }
        let field = point == nil ? field : part(cube, around: point)
        let order = ranking.order(in: field, around: point, limit: Self.limit)
        return order.isEmpty ? ListedOrder() : ListedOrder(order)
    }

    /// Puts the members in order in `nearest`, which takes no memory. False where that cannot tell the order.
    mutating func findNearest(_ point: SpherePoint, cube: Int) -> Bool {
        guard nearest != nil else { return false }
        if vicinities[cube] == nil {
            vicinities[cube] = Vicinity(part(cube, around: point).groups[0], of: Cube(around: point))
        }
        guard let vicinity = vicinities[cube] else { return false }
        return nearest?.find(in: vicinity, around: point) ?? false
    }

    /// The field, or that part of it which matters around `point`.
    private mutating func part(_ cube: Int, around point: SpherePoint?) -> Field {
        guard let point, isWide else { return field }
        if let known = parts[cube] { return known }
        let part = field.part(around: Cube(around: point), limit: Self.limit)
        parts[cube] = part
        return part
    }
}
