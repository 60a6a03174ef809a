import CFastPathABI
import Location

/// Puts compiled tables one behind another, in the layout both paths read.
struct TablesBuilder {
    private let nodes: [SteeringNode]
    private let places: PlaceTable
    private(set) var tables: [SteeringTables.Table] = []
    /// Whole cells.
    private(set) var classes: [UInt16] = []
    private(set) var lists: [nc_list] = [nc_list()]
    private(set) var rankings = 0
    /// Made when the first table asks.
    private var features: PlaceFeatures?

    /// - Parameter count: of the tables to come.
    init(nodes: [SteeringNode], places: PlaceTable, count: Int) {
        self.nodes = nodes
        self.places = places
        // Growing by doubling would take twice the memory at the worst time.
        classes.reserveCapacity(count * (places.count + Int(NC_CLASSES_PER_CELL)))
    }

    mutating func compile(_ key: SteeringKey) throws(SteeringError) {
        var compiler = TableCompiler(key: key, nodes: nodes)
        let features = features(withNames: compiler.looksAtNames)
        let compiled = try compiler.compile(features)
        rankings += compiler.rankings
        add(compiled, key)
    }

    private mutating func features(withNames: Bool) -> PlaceFeatures {
        if let features, features.hasNames || !withNames { return features }
        let made = PlaceFeatures(places, withNames: withNames)
        features = made
        return made
    }

    mutating func add(_ table: CompiledTable, _ key: SteeringKey) {
        let perCell = Int(NC_CLASSES_PER_CELL)
        tables.append(
            SteeringTables.Table(
                key: key, ranking: table.ranking, classCell: classes.count / perCell, listCell: lists.count,
                classes: table.lists.count, backstops: table.backstops.count,
                hasEmptyLists: table.lists.contains { $0.count == 0 }))
        classes += table.classes
        while classes.count % perCell != 0 { classes.append(0) }
        let before = UInt32(lists.count + table.lists.count - 1)
        lists += table.lists.map { list in
            var list = list
            if list.backstop != 0 { list.backstop += before }
            return list
        }
        lists += table.backstops
    }
}
