import CFastPathABI

/// The part of an order that a candidate list can express for the clients of its class.
struct ListedOrder {
    /// At most eight candidates, in whole bands. Empty if user space decides, or if no member may serve.
    let local: [RankedCandidate]
    /// The nodes that come next, each in a band of its own.
    private(set) var behind: ArraySlice<Int>
    /// Whether `local` and `behind` together are all candidates.
    private(set) var isComplete: Bool

    /// Reduces `behind` to what both orders agree on.
    mutating func keepCommon(with other: ListedOrder) {
        keepCommon(behind: other.behind, isComplete: other.isComplete)
    }

    /// - Parameters: the values of the other order.
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

    /// - Parameter order: one candidate more than list and backstop hold, if there are that many.
    init(_ order: [RankedCandidate]) {
        let limit = Int(NC_LOCAL_CANDIDATES)
        guard order.count > limit else {
            (local, behind, isComplete) = (order, [], true)
            return
        }
        let next = order[limit].band
        guard order[limit - 1].band != next else {
            // The next band does not fit whole.
            (local, behind, isComplete) = (Array(order.prefix { $0.band < next }), [], false)
            return
        }
        local = Array(order.prefix(limit))
        let isAll = order.count < CandidateSetCompiler.limit
        var end = limit
        while end < order.count - (isAll ? 0 : 1), end + 1 == order.count || order[end].band != order[end + 1].band {
            end += 1
        }
        behind = order[limit..<end].map(\.node)[...]
        isComplete = isAll && end == order.count
    }
}

/// Orders one candidate set for lists.
///
/// An order that a list cannot express is left to user space: the list is empty and not complete, so both paths use the
/// full order.
struct CandidateSetCompiler {
    /// Nodes behind a list. More of them are seldom common to all places of its class.
    private static let behind = 8
    static let limit = Int(NC_LOCAL_CANDIDATES) + behind + 1

    private let candidateSet: CandidateSet
    private let ranking: Ranking
    private let isLeftToUserSpace: Bool
    /// Whether the candidate set is large enough for subsets to pay off.
    private let isWide: Bool
    /// By number of the grid cell.
    private var parts: [CandidateSet?]
    /// Nil if anything besides distance decides.
    private(set) var nearest: NearestMembers?
    /// The same subsets in the form that `nearest` reads.
    private var vicinities: [Vicinity?]

    /// - Parameter gridCells: the number of grid cells that contain clients' places.
    init(_ candidateSet: CandidateSet, _ ranking: Ranking, gridCells: Int) {
        self.candidateSet = candidateSet
        self.ranking = ranking
        isWide = ranking.comparesDistances && candidateSet.members.count > 2 * Self.limit
        parts = isWide ? Array(repeating: nil, count: gridCells) : []
        // A list cannot hold a longer band, and cannot count the usable members of a tier.
        isLeftToUserSpace =
            ranking.key.tierMinimum.contains { $0 > 1 }
            || (ranking.key.strategy == .weighted && candidateSet.members.count > Int(NC_LOCAL_CANDIDATES))
        let isPlain =
            !isLeftToUserSpace && ranking.isPlainDistance && candidateSet.groups.count == 1
            && candidateSet.groups.allSatisfy { $0.rankGroup.isLocated }
        nearest = isPlain ? NearestMembers(of: ranking, limit: Self.limit) : nil
        vicinities = isPlain ? Array(repeating: nil, count: gridCells) : []
    }

    /// - Parameter gridCell: the number of the cell that contains `point`.
    mutating func order(around point: SpherePoint?, gridCell: Int) -> ListedOrder {
        guard !isLeftToUserSpace else { return ListedOrder() }
        let candidateSet = point == nil ? candidateSet : part(gridCell, around: point)
        let order = ranking.order(in: candidateSet, around: point, limit: Self.limit)
        return order.isEmpty ? ListedOrder() : ListedOrder(order)
    }

    /// Orders the members in `nearest`, without allocating. Returns false if distance alone does not give the order.
    mutating func findNearest(_ point: SpherePoint, gridCell: Int) -> Bool {
        guard nearest != nil else { return false }
        if vicinities[gridCell] == nil {
            vicinities[gridCell] = Vicinity(part(gridCell, around: point).groups[0], of: GridCell(around: point))
        }
        guard let vicinity = vicinities[gridCell] else { return false }
        return nearest?.find(in: vicinity, around: point) ?? false
    }

    /// The candidate set, or the subset of it that matters around `point`.
    private mutating func part(_ gridCell: Int, around point: SpherePoint?) -> CandidateSet {
        guard let point, isWide else { return candidateSet }
        if let known = parts[gridCell] { return known }
        let part = candidateSet.part(around: GridCell(around: point), limit: Self.limit)
        parts[gridCell] = part
        return part
    }
}
