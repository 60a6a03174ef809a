import CFastPathABI
import Location

/// Compiles one steering table: ranks its members for every place, and numbers the distinct lists.
struct TableCompiler {
    /// What makes two lists one class.
    private struct ListKey: Hashable {
        var nodes = SIMD8<UInt16>(repeating: .max)
        var bands = SIMD8<UInt8>(repeating: 0)
    }

    let ranking: Ranking
    private let nodes: [SteeringNode]
    private let firstCell: Int
    private(set) var lists: [nc_list] = []
    private(set) var backstops: [nc_list] = []
    private var numbers: [ListKey: UInt16] = [:]
    /// Members behind each first candidate, and their index among the backstops.
    private var behind: [Int: (members: [Int], index: Int)] = [:]

    init(key: SteeringKey, nodes: [SteeringNode], firstCell: Int) {
        self.nodes = nodes
        self.firstCell = firstCell
        ranking = Ranking(key, nodes: nodes)
    }

    /// Appends the class of every place, padded to whole cells.
    mutating func compile(_ points: PlacePoints, into classes: inout [UInt16]) throws(SteeringError) {
        var numbers: [UInt16] = []
        numbers.reserveCapacity(points.distinct.count)
        for coordinates in points.distinct { numbers.append(try number(coordinates)) }
        for point in points.ofPlace { classes.append(numbers[Int(point)]) }
        let perCell = Int(NC_CLASSES_PER_CELL)
        while classes.count % perCell != 0 { classes.append(0) }
        linkBackstops()
    }

    private mutating func number(_ coordinates: Coordinates?) throws(SteeringError) -> UInt16 {
        let order = ranking.order(around: coordinates.map(SpherePoint.init), limit: Int(NC_LOCAL_CANDIDATES))
        var key = ListKey()
        for (index, candidate) in order.enumerated() {
            key.nodes[index] = UInt16(truncatingIfNeeded: candidate.node)
            key.bands[index] = UInt8(candidate.band)
        }
        if let known = numbers[key] { return known }
        guard lists.count <= Int(UInt16.max) else { throw .tooManyClasses(lists.count + 1, limit: Int(UInt16.max) + 1) }
        let number = UInt16(lists.count)
        numbers[key] = number
        lists.append(list(order))
        return number
    }

    private mutating func list(_ order: [RankedCandidate]) -> nc_list {
        var list = nc_list()
        list.count = UInt8(order.count)
        var flags: UInt32 = 0
        withUnsafeMutableBytes(of: &list) { bytes in
            for (index, candidate) in order.enumerated() {
                let slot = UInt16(nodes[candidate.node].slot)
                bytes.storeBytes(of: slot, toByteOffset: Self.slotOffset + 2 * index, as: UInt16.self)
                bytes.storeBytes(of: candidate.weight, toByteOffset: Self.weightOffset + 2 * index, as: UInt16.self)
                bytes.storeBytes(of: UInt8(candidate.band), toByteOffset: Self.bandOffset + index, as: UInt8.self)
            }
        }
        if let highest = order.last?.band, highest + 1 < order.count { flags |= NC_LIST_BANDS.rawValue }
        if let first = order.first {
            let backstop = backstop(behind: first.node)
            // Until the lists' number is known: the index, one up, so that 0 stays "none".
            list.backstop = backstop.members.isEmpty ? 0 : UInt32(backstop.index + 1)
            let local = Set(order.map(\.node))
            for (index, node) in backstop.members.enumerated() where !local.contains(node) {
                list.behind |= 1 << UInt16(index)
            }
            if local.union(backstop.members).count == ranking.members.count { flags |= NC_LIST_COMPLETE.rawValue }
        }
        list.flags = UInt8(flags)
        return list
    }

    private mutating func backstop(behind first: Int) -> (members: [Int], index: Int) {
        if let known = behind[first] { return known }
        // A pool that fits the list needs nothing behind it.
        let members =
            ranking.members.count > Int(NC_LOCAL_CANDIDATES)
            ? Backstop.members(behind: first, ranking: ranking, nodes: nodes) : []
        let made = (members, backstops.count)
        behind[first] = made
        if !members.isEmpty {
            var cell = nc_list()
            withUnsafeMutableBytes(of: &cell) { bytes in
                for (index, node) in members.enumerated() {
                    bytes.storeBytes(of: UInt16(nodes[node].slot), toByteOffset: 2 * index, as: UInt16.self)
                }
            }
            backstops.append(cell)
        }
        return made
    }

    /// Backstops stand behind the lists: their cells are known once the lists are counted.
    private mutating func linkBackstops() {
        for index in lists.indices where lists[index].backstop != 0 {
            lists[index].backstop += UInt32(firstCell + lists.count - 1)
        }
    }

    private static let slotOffset = MemoryLayout<nc_list>.offset(of: \nc_list.slot) ?? 8
    private static let weightOffset = MemoryLayout<nc_list>.offset(of: \nc_list.weight) ?? 24
    private static let bandOffset = MemoryLayout<nc_list>.offset(of: \nc_list.band) ?? 40
}
