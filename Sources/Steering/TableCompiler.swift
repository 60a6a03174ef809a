import CFastPathABI
import Location

/// One steering table before it has its place among others: backstops are named by their number from 1, 0 being none.
struct CompiledTable {
    let standings: Standings
    /// Of every place.
    var classes: [UInt16] = []
    /// By class.
    var lists: [nc_list] = []
    var backstops: [nc_list] = []
}

/// Compiles one steering table: ranks its members for every place, and numbers the distinct lists.
struct TableCompiler {
    /// What makes two lists one class.
    private struct ListKey: Hashable {
        /// Sixteen bits a candidate, one more than the node's index; zero where there is none.
        private var nodes: (first: UInt64, second: UInt64) = (0, 0)
        /// Eight bits a candidate.
        private var bands: UInt64 = 0
        /// Others have other members behind them.
        private let field: Int
        private let endsThere: Bool

        init(_ order: ListedOrder, field: Int) {
            self.field = field
            endsThere = order.isComplete && order.behind.isEmpty
            for (index, candidate) in order.local.enumerated() {
                add(candidate.node, band: candidate.band, at: index)
            }
        }

        /// - Parameter nodes: each a band of its own.
        init(_ nodes: some Collection<Int>, field: Int, endsThere: Bool) {
            self.field = field
            self.endsThere = endsThere
            for (index, node) in nodes.enumerated() { add(node, band: index, at: index) }
        }

        private mutating func add(_ number: Int, band: Int, at index: Int) {
            let node = UInt64(number + 1) << UInt64(16 * (index % 4))
            if index < 4 { nodes.first |= node } else { nodes.second |= node }
            bands |= UInt64(band) << UInt64(8 * index)
        }

        static func == (left: ListKey, right: ListKey) -> Bool {
            left.nodes == right.nodes && left.bands == right.bands && left.field == right.field
                && left.endsThere == right.endsThere
        }

        /// What is not hashed rarely differs alone.
        func hash(into hasher: inout Hasher) {
            hasher.combine(nodes.first)
            hasher.combine(nodes.second)
        }
    }

    private let nodes: [SteeringNode]
    private let ranking: Ranking
    /// Rankings made.
    private(set) var rankings = 0
    private var numbers: [ListKey: UInt16] = [:]
    private var fields: [FieldCompiler] = []
    /// By class: what all of its places agree in.
    private var orders: [ListedOrder] = []

    init(_ ranking: Ranking, nodes: [SteeringNode]) {
        self.nodes = nodes
        self.ranking = ranking
    }

    var looksAtNames: Bool { ranking.looksAtNames }

    mutating func compile(_ features: PlaceFeatures) throws(SteeringError) -> CompiledTable {
        let standings = Standings(ranking.standings, names: features.names.distinct)
        var table = CompiledTable(standings: standings)
        fields = standings.all.map { FieldCompiler(Field($0, of: ranking), ranking, cubes: features.cubes) }
        // Where only one of both matters the other is not looked at.
        let points = ranking.looksAtDistance ? features.spherePoints.count : 1
        var ofPoint = [UInt16?](repeating: nil, count: points)
        var ofPair: [UInt64: UInt16] = [:]
        table.classes.reserveCapacity(features.count)
        for place in 0..<features.count {
            let point = ranking.looksAtDistance ? Int(features.points.ofPlace[place]) : 0
            let standing = standings.index(name: features.names.ofPlace[place])
            let pair = UInt64(standing) << 32 | UInt64(point)
            if let known = standings.isOne ? ofPoint[point] : ofPair[pair] {
                table.classes.append(known)
                continue
            }
            let number = try number(
                ranking.looksAtDistance ? features.spherePoints[point] : nil, cube: Int(features.cubeOfPoint[point]),
                standing)
            if standings.isOne { ofPoint[point] = number } else { ofPair[pair] = number }
            table.classes.append(number)
        }
        var writer = ListWriter(nodes)
        for order in orders { writer.add(order) }
        (table.lists, table.backstops) = (writer.lists, writer.backstops)
        return table
    }

    private mutating func number(_ point: SpherePoint?, cube: Int, _ field: Int) throws(SteeringError) -> UInt16 {
        rankings += 1
        if let point, fields[field].findNearest(point, cube: cube), let known = knownNumber(field) { return known }
        let order = fields[field].order(around: point, cube: cube)
        let key = ListKey(order, field: field)
        if let known = numbers[key] {
            orders[Int(known)].keepCommon(with: order)
            return known
        }
        guard orders.count <= Int(UInt16.max) else {
            throw .tooManyClasses(orders.count + 1, limit: Int(UInt16.max) + 1)
        }
        let number = UInt16(orders.count)
        numbers[key] = number
        orders.append(order)
        return number
    }

    /// Number of the class of the list that was found by distance alone.
    private mutating func knownNumber(_ field: Int) -> UInt16? {
        guard let nearest = fields[field].nearest else { return nil }
        let (local, behind) = (nearest.local, nearest.behind)
        let key = ListKey(local, field: field, endsThere: nearest.isComplete && behind.isEmpty)
        guard let known = numbers[key] else { return nil }
        orders[Int(known)].keepCommon(behind: behind, isComplete: nearest.isComplete)
        return known
    }
}
