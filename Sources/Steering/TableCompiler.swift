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
        var nodes = SIMD8<UInt16>(repeating: .max)
        var bands = SIMD8<UInt8>(repeating: 0)
        /// Others have other members behind them.
        var field: UInt32
        /// Where these are for each place to say.
        var behind: UInt16 = 0
        var flags: UInt8 = 0
    }

    private let nodes: [SteeringNode]
    private var table: CompiledTable
    /// Rankings made.
    private(set) var rankings = 0
    private var numbers: [ListKey: UInt16] = [:]
    private var fields: [FieldCompiler] = []

    init(key: SteeringKey, nodes: [SteeringNode]) {
        self.nodes = nodes
        table = CompiledTable(ranking: Ranking(key, nodes: nodes))
    }

    var looksAtNames: Bool { table.ranking.looksAtNames }

    mutating func compile(_ features: PlaceFeatures) throws(SteeringError) -> CompiledTable {
        let ranking = table.ranking
        let standings = numberStandings(features)
        // Where only one of both matters the other is not looked at.
        let points = ranking.looksAtDistance ? features.points.distinct.count : 1
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
            let coordinates = ranking.looksAtDistance ? features.points.distinct[point] : nil
            let number = try number(coordinates.map(SpherePoint.init), standing)
            if standings.isEmpty { ofPoint[point] = number } else { ofPair[pair] = number }
            table.classes.append(number)
        }
        return table
    }

    /// Number of the standing of each of the places' names; empty when names do not matter.
    private mutating func numberStandings(_ features: PlaceFeatures) -> [UInt32] {
        let ranking = table.ranking
        guard ranking.looksAtNames else {
            fields = [FieldCompiler(Field(Standing(), of: ranking), ranking, nodes)]
            return []
        }
        let standings = PlaceFeatures.Numbered(features.names.distinct.lazy.map(ranking.standings.standing))
        fields = standings.distinct.map { FieldCompiler(Field($0, of: ranking), ranking, nodes) }
        return standings.ofPlace
    }

    private mutating func number(_ point: SpherePoint?, _ field: Int) throws(SteeringError) -> UInt16 {
        rankings += 1
        let order = fields[field].order(around: point)
        var key = ListKey(field: UInt32(field))
        for (index, candidate) in order.enumerated() {
            key.nodes[index] = UInt16(truncatingIfNeeded: candidate.node)
            key.bands[index] = UInt8(candidate.band)
        }
        var made: nc_list?
        if table.ranking.maximum != .max {
            let list = fields[field].list(order, around: point, &table.backstops)
            (key.behind, key.flags) = (list.behind, list.flags)
            made = list
        }
        if let known = numbers[key] { return known }
        guard table.lists.count <= Int(UInt16.max) else {
            throw .tooManyClasses(table.lists.count + 1, limit: Int(UInt16.max) + 1)
        }
        let number = UInt16(table.lists.count)
        numbers[key] = number
        table.lists.append(made ?? fields[field].list(order, around: point, &table.backstops))
        return number
    }
}
