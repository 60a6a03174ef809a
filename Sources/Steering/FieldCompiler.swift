import CFastPathABI

/// Makes the lists of one field.
///
/// What a list cannot say is left to user space: its list is empty and not complete, so that both paths turn to the full
/// order.
struct FieldCompiler {
    private let field: Field
    private let ranking: Ranking
    private let nodes: [SteeringNode]
    private let isLeftToUserSpace: Bool
    /// By first candidate: the members behind it, and the number of their backstop.
    private var behind: [Int: (members: [Int], number: UInt32)] = [:]

    init(_ field: Field, _ ranking: Ranking, _ nodes: [SteeringNode]) {
        self.field = field
        self.ranking = ranking
        self.nodes = nodes
        // A list holds no band that is longer, and does not count the usable members of a tier.
        isLeftToUserSpace =
            ranking.key.tierMinimum.contains { $0 > 1 }
            || (ranking.key.strategy == .weighted && field.members.count > Int(NC_LOCAL_CANDIDATES))
    }

    /// The candidates of a list: whole bands; none where user space decides or nobody may serve.
    func order(around point: SpherePoint?) -> [RankedCandidate] {
        guard !isLeftToUserSpace else { return [] }
        let limit = Int(NC_LOCAL_CANDIDATES)
        let order = ranking.order(in: field, around: point, limit: limit + 1)
        guard order.count > limit else { return order }
        let cut = order[limit].band == order[limit - 1].band ? order[limit].band : .max
        return order.prefix(limit).filter { $0.band < cut }
    }

    mutating func list(
        _ order: [RankedCandidate], around point: SpherePoint?, _ backstops: inout [nc_list]
    ) -> nc_list {
        var list = nc_list()
        list.count = UInt8(order.count)
        withUnsafeMutableBytes(of: &list) { bytes in
            for (index, candidate) in order.enumerated() {
                let slot = UInt16(nodes[candidate.node].slot)
                bytes.storeBytes(of: slot, toByteOffset: Self.slotOffset + 2 * index, as: UInt16.self)
                bytes.storeBytes(of: candidate.weight, toByteOffset: Self.weightOffset + 2 * index, as: UInt16.self)
                bytes.storeBytes(of: UInt8(candidate.band), toByteOffset: Self.bandOffset + index, as: UInt8.self)
            }
        }
        guard let first = order.first, let last = order.last else { return list }
        var flags: UInt32 = last.band + 1 < order.count ? NC_LIST_BANDS.rawValue : 0
        let candidates = ranking.candidates(in: field, around: point)
        let backstop = backstop(behind: first.node, &backstops)
        list.backstop = backstop.number
        let local = Set(order.map(\.node))
        for (index, node) in backstop.members.enumerated() where !local.contains(node) && candidates.contains(node) {
            list.behind |= 1 << UInt16(index)
        }
        if order.count + list.behind.nonzeroBitCount == candidates.count { flags |= NC_LIST_COMPLETE.rawValue }
        list.flags = UInt8(flags)
        return list
    }

    private mutating func backstop(
        behind first: Int, _ backstops: inout [nc_list]
    ) -> (members: [Int], number: UInt32) {
        // A field that fits the list needs nothing behind it.
        guard field.members.count > Int(NC_LOCAL_CANDIDATES) else { return ([], 0) }
        if let known = behind[first] { return known }
        let members = Backstop.members(behind: first, in: field, ranking, nodes: nodes)
        var cell = nc_list()
        withUnsafeMutableBytes(of: &cell) { bytes in
            for (index, node) in members.enumerated() {
                bytes.storeBytes(of: UInt16(nodes[node].slot), toByteOffset: 2 * index, as: UInt16.self)
            }
        }
        backstops.append(cell)
        let made = (members, UInt32(backstops.count))
        behind[first] = made
        return made
    }

    private static let slotOffset = MemoryLayout<nc_list>.offset(of: \nc_list.slot) ?? 8
    private static let weightOffset = MemoryLayout<nc_list>.offset(of: \nc_list.weight) ?? 24
    private static let bandOffset = MemoryLayout<nc_list>.offset(of: \nc_list.band) ?? 40
}
