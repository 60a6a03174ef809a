import CFastPathABI
import Location

/// One steering table before it has its place among others: backstops are named by their number from 1, 0 being none.
struct CompiledTable {
    let ranking: Ranking
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
                let node = UInt64(candidate.node + 1) << UInt64(16 * (index % 4))
                if index < 4 { nodes.first |= node } else { nodes.second |= node }
                bands |= UInt64(candidate.band) << UInt64(8 * index)
            }
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

    init(key: SteeringKey, nodes: [SteeringNode]) {
        self.nodes = nodes
        ranking = Ranking(key, nodes: nodes)
    }

    var looksAtNames: Bool { ranking.looksAtNames }

    mutating func compile(_ features: PlaceFeatures) throws(SteeringError) -> CompiledTable {
        var table = CompiledTable(ranking: ranking)
        let standings = numberStandings(features)
        // Where only one of both matters the other is not looked at.
        let points = ranking.looksAtDistance ? features.spherePoints.count : 1
        var ofPoint = [UInt16?](repeating: nil, count: points)
        var ofPair: [UInt64: UInt16] = [:]
        table.classes.reserveCapacity(features.count)
        for place in 0..<features.count {
            let point = ranking.looksAtDistance ? Int(features.points.ofPlace[place]) : 0
            let standing = standings.isEmpty ? 0 : Int(standings[Int(features.names.ofPlace[place])])
            let pair = UInt64(standing) << 32 | UInt64(point)
            if let known = standings.isEmpty ? ofPoint[point] : ofPair[pair] {
                table.classes.append(known)
                continue
            }
            let number = try number(ranking.looksAtDistance ? features.spherePoints[point] : nil, standing)
            if standings.isEmpty { ofPoint[point] = number } else { ofPair[pair] = number }
            table.classes.append(number)
        }
        var writer = ListWriter(nodes)
        for order in orders { writer.add(order) }
        (table.lists, table.backstops) = (writer.lists, writer.backstops)
        return table
    }

    /// Number of the standing of each of the places' names; empty when names do not matter.
    private mutating func numberStandings(_ features: PlaceFeatures) -> [UInt32] {
        guard ranking.looksAtNames else {
            fields = [FieldCompiler(Field(Standing(), of: ranking), ranking)]
            return []
        }
        let standings = PlaceFeatures.Numbered(features.names.distinct.lazy.map(ranking.standings.standing))
        fields = standings.distinct.map { FieldCompiler(Field($0, of: ranking), ranking) }
        return standings.ofPlace
    }

    private mutating func number(_ point: SpherePoint?, _ field: Int) throws(SteeringError) -> UInt16 {
        rankings += 1
        let order = fields[field].order(around: point)
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
}
