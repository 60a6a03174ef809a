import CFastPathABI
import Location

/// Lays out compiled tables one after another, in the layout that both paths read.
struct TablesBuilder {
    /// The cells of a table. Tables that order the same members alike share them.
    private struct Cells {
        let classCell: Int
        let listCell: Int
        let classes: Int
        let backstops: Int
        let hasEmptyLists: Bool
        let standings: Standings
    }

    private let nodes: [SteeringNode]
    private let places: PlaceTable
    private let reuse: Reuse?
    private(set) var tables: [SteeringTables.Table] = []
    private let classes: CellWriter<nc_class_cell>
    /// The lists of each table that was compiled or reused; the first entry is the empty backstop.
    private var lists: [[nc_list]] = [[nc_list()]]
    private var listCount = 1
    private(set) var rankings = 0
    /// By order key.
    private var known: [SteeringKey: Cells] = [:]
    /// Computed when the first table needs them.
    private var features: PlaceFeatures?

    /// - Parameter count: the number of tables to be added.
    init(nodes: [SteeringNode], places: PlaceTable, count: Int, reusing earlier: SteeringTables?) {
        self.nodes = nodes
        self.places = places
        reuse = earlier.flatMap { Reuse(of: $0, for: nodes, places) }
        let perCell = Int(NC_CLASSES_PER_CELL)
        classes = CellWriter(capacity: count * ((places.count + perCell - 1) / perCell))
    }

    mutating func add(_ key: SteeringKey) throws(SteeringError) {
        let ranking = Ranking(key, nodes: nodes)
        let cells = try cells(ranking)
        tables.append(
            SteeringTables.Table(
                key: key, ranking: ranking, classCell: cells.classCell, listCell: cells.listCell,
                classes: cells.classes, backstops: cells.backstops, hasEmptyLists: cells.hasEmptyLists,
                standings: cells.standings))
    }

    /// The cells of a table with this order, or new ones.
    private mutating func cells(_ ranking: Ranking) throws(SteeringError) -> Cells {
        let order = ranking.orderKey
        if let cells = known[order] { return cells }
        let cells: Cells
        if let same = reuse?.table(for: order) {
            cells = add(same.classes, same.lists, same.backstops, same.standings)
        } else {
            var compiler = TableCompiler(ranking, nodes: nodes)
            let compiled = try compiler.compile(features(withNames: compiler.looksAtNames))
            rankings += compiler.rankings
            cells = compiled.classes.withUnsafeBytes {
                add($0, compiled.lists, compiled.backstops, compiled.standings)
            }
        }
        known[order] = cells
        return cells
    }

    private mutating func features(withNames: Bool) -> PlaceFeatures {
        if let features, features.hasNames || !withNames { return features }
        let made = PlaceFeatures(places, withNames: withNames)
        features = made
        return made
    }

    /// - Parameters:
    ///   - ofPlaces: the class of each place, 16 bits each.
    ///   - own: lists by class. They refer to backstops by number; 1 is the first of `backstops`.
    private mutating func add(
        _ ofPlaces: UnsafeRawBufferPointer, _ own: [nc_list], _ backstops: [nc_list], _ standings: Standings
    ) -> Cells {
        let before = UInt32(listCount + own.count - 1)
        let cells = Cells(
            classCell: classes.count, listCell: listCount, classes: own.count, backstops: backstops.count,
            hasEmptyLists: own.contains { $0.count == 0 }, standings: standings)
        classes.append(ofPlaces)
        lists.append(
            own.map { list in
                var list = list
                if list.backstop != 0 { list.backstop += before }
                return list
            } + backstops)
        listCount += own.count + backstops.count
        return cells
    }

    /// Place → number of its names and labels; empty where no table looks at them.
    var nameOfPlace: [UInt32] {
        if let features, features.hasNames { return features.names.ofPlace }
        return reuse?.nameOfPlace ?? []
    }

    /// The cells of all tables: the place → class maps, and the lists with their backstops.
    consuming func finish() -> (classes: CellBuffer<nc_class_cell>, lists: CellBuffer<nc_list>) {
        let all = CellWriter<nc_list>(capacity: listCount)
        // Each part is freed once it is copied, so that the lists are hardly ever in memory twice.
        for index in lists.indices {
            lists[index].withUnsafeBytes { all.append($0) }
            lists[index] = []
        }
        return (classes.finish(), all.finish())
    }
}
