import CFastPathABI
import Location

/// One steering table, before it has its position among others. A list refers to its backstop by number, from 1; 0
/// means none.
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
    /// What distinguishes the lists of two classes.
    private struct ListKey: Hashable {
        /// Sixteen bits per candidate: the node's index plus one, or 0 for none.
        private var nodes: (first: UInt64, second: UInt64) = (0, 0)
        /// Eight bits per candidate.
        private var bands: UInt64 = 0
        /// Candidate sets have different members behind the list.
        private let candidateSet: Int
        private let endsThere: Bool

        init(_ order: ListedOrder, candidateSet: Int) {
            self.candidateSet = candidateSet
            endsThere = order.isComplete && order.behind.isEmpty
            for (index, candidate) in order.local.enumerated() {
                add(candidate.node, band: candidate.band, at: index)
            }
        }

        /// - Parameter nodes: each in a band of its own.
        init(_ nodes: some Collection<Int>, candidateSet: Int, endsThere: Bool) {
            self.candidateSet = candidateSet
            self.endsThere = endsThere
            for (index, node) in nodes.enumerated() { add(node, band: index, at: index) }
        }

        private mutating func add(_ number: Int, band: Int, at index: Int) {
            let node = UInt64(number + 1) << UInt64(16 * (index % 4))
            if index < 4 { nodes.first |= node } else { nodes.second |= node }
            bands |= UInt64(band) << UInt64(8 * index)
        }

        static func == (left: ListKey, right: ListKey) -> Bool {
            left.nodes == right.nodes && left.bands == right.bands && left.candidateSet == right.candidateSet
                && left.endsThere == right.endsThere
        }

        /// The other properties rarely differ alone.
        func hash(into hasher: inout Hasher) {
            hasher.combine(nodes.first)
            hasher.combine(nodes.second)
        }
    }

    private let nodes: [SteeringNode]
    private let ranking: Ranking
    /// How many rankings were made.
    private(set) var rankings = 0
    private var numbers: [ListKey: UInt16] = [:]
    private var candidateSets: [CandidateSetCompiler] = []
    /// By class: what all of its places agree on.
    private var orders: [ListedOrder] = []

    init(_ ranking: Ranking, nodes: [SteeringNode]) {
        self.nodes = nodes
        self.ranking = ranking
    }

    var looksAtNames: Bool { ranking.looksAtNames }

    mutating func compile(_ features: PlaceFeatures) throws(SteeringError) -> CompiledTable {
        let standings = Standings(ranking.standings, names: features.names.distinct)
        var table = CompiledTable(standings: standings)
        candidateSets = standings.all.map {
            CandidateSetCompiler(CandidateSet($0, of: ranking), ranking, gridCells: features.gridCells)
        }
        // If only points or only names matter, the other is not looked at.
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
                ranking.looksAtDistance ? features.spherePoints[point] : nil,
                gridCell: Int(features.gridCellOfPoint[point]),
                standing)
            if standings.isOne { ofPoint[point] = number } else { ofPair[pair] = number }
            table.classes.append(number)
        }
        var writer = ListWriter(nodes)
        for order in orders { writer.add(order) }
        (table.lists, table.backstops) = (writer.lists, writer.backstops)
        return table
    }

    private mutating func number(_ point: SpherePoint?, gridCell: Int, _ candidateSet: Int) throws(SteeringError)
        -> UInt16
    {
        rankings += 1
        if let point, candidateSets[candidateSet].findNearest(point, gridCell: gridCell),
            let known = knownNumber(candidateSet)
        {
            return known
        }
        let order = candidateSets[candidateSet].order(around: point, gridCell: gridCell)
        let key = ListKey(order, candidateSet: candidateSet)
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

    /// Number of the class whose list was found by distance alone.
    private mutating func knownNumber(_ candidateSet: Int) -> UInt16? {
        guard let nearest = candidateSets[candidateSet].nearest else { return nil }
        let (local, behind) = (nearest.local, nearest.behind)
        let key = ListKey(local, candidateSet: candidateSet, endsThere: nearest.isComplete && behind.isEmpty)
        guard let known = numbers[key] else { return nil }
        orders[Int(known)].keepCommon(behind: behind, isComplete: nearest.isComplete)
        return known
    }
}
