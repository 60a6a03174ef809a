import CFastPathABI
import IPNetworks
import Location
import Steering
import Testing

@Suite("Reuse of tables")
struct ReuseTests {
    private static let places = places(200)

    /// The unknown place, and others.
    private static func places(_ count: Int) -> PlaceTable {
        PlaceTable(
            [.unknown]
                + (0..<count).map {
                    .at(
                        Double($0 * 37 % 360) - 180, country: ["DE", "FR", nil][$0 % 3],
                        labels: $0 % 50 == 0 ? ["gold"] : [])
                })
    }
    private static let nodes = (0..<30).map {
        SteeringNode.at(Double($0 * 11 % 180), id: "n\($0)", slot: 29 - $0, country: ["DE", "FR"][$0 % 2])
    }
    private static let keys = [
        SteeringKey.all(30), .all(30, strategy: .linear), .all(20, tolerance: Tolerance(percent: 30)),
        .all(
            12, strategy: .latency, rules: [GeoRule(match: .word("gold"), action: .pin, nodes: [3, 4])],
            latency: LatencyTable([.country("DE"): [1: 10]])),
        .all(12, strategy: .weighted),
    ]

    private func expectEqual(_ left: SteeringTables, _ right: SteeringTables) {
        #expect(left.classes.bytes.elementsEqual(right.classes.bytes))
        #expect(left.lists.bytes.elementsEqual(right.lists.bytes))
        #expect(left.tables.map(\.classCell) == right.tables.map(\.classCell))
        #expect(left.tables.map(\.listCell) == right.tables.map(\.listCell))
        let states = NodeWords()
        for (table, _) in left.tables.enumerated() {
            #expect(left.census(of: table, word: states.word) == right.census(of: table, word: states.word))
        }
    }

    @Test("locations are ranked once for each combination of table settings")
    func rankings() throws {
        func rankings(_ key: SteeringKey) throws -> Int {
            try SteeringTables(keys: [key], nodes: Self.nodes, places: Self.places).rankings
        }
        // 200 points, and the unknown one.
        #expect(try rankings(.all(30)) == 201)
        #expect(try rankings(.all(30, strategy: .order)) == 1)
        #expect(try rankings(.all(30, strategy: .order, rules: [GeoRule(match: .country("DE"), action: .deny)])) == 2)
        #expect(try rankings(.all(30, strategy: .order, maximumKilometres: 1000)) == 201)
    }

    @Test(
        "unchanged tables are not ranked again, and have the same bytes",
        arguments: [200, 3 * Int(NC_CLASSES_PER_CELL) - 1])
    func unchanged(places count: Int) throws {
        // The second fills its last cell.
        let places = Self.places(count)
        let earlier = try SteeringTables(keys: Self.keys, nodes: Self.nodes, places: places)
        let again = try SteeringTables(keys: Self.keys, nodes: Self.nodes, places: places, reusing: earlier)
        #expect(again.rankings == 0)
        expectEqual(again, earlier)
    }

    @Test("if a table is added, before or after others, only it is ranked")
    func added() throws {
        let some = [Self.keys[3], Self.keys[0]]
        let earlier = try SteeringTables(keys: some, nodes: Self.nodes, places: Self.places)
        let alone = try SteeringTables(keys: [Self.keys[1]], nodes: Self.nodes, places: Self.places)
        for keys in [[Self.keys[1]] + some.reversed(), some + [Self.keys[1]]] {
            let now = try SteeringTables(keys: keys, nodes: Self.nodes, places: Self.places, reusing: earlier)
            #expect(now.rankings == alone.rankings)
            expectEqual(now, try SteeringTables(keys: keys, nodes: Self.nodes, places: Self.places))
        }
    }

    @Test("a new order of nodes in the configuration keeps tables, and other nodes do not")
    func otherNodes() throws {
        let earlier = try SteeringTables(keys: [Self.keys[2], .all(30)], nodes: Self.nodes, places: Self.places)
        // A new node in front: every number is one more.
        let nodes = [SteeringNode.at(5, id: "new", slot: 40)] + Self.nodes
        let key = SteeringKey(
            members: Self.keys[2].members.map { PoolMember(node: $0.node + 1, weight: 1) },
            tolerance: Self.keys[2].tolerance, family: .v4)
        let now = try SteeringTables(keys: [key], nodes: nodes, places: Self.places, reusing: earlier)
        #expect(now.rankings == 0)
        expectEqual(now, try SteeringTables(keys: [key], nodes: nodes, places: Self.places))

        var changed = Self.nodes
        changed[25] = .at(77, id: "n25", slot: 4)
        let after = try SteeringTables(
            keys: [Self.keys[2], .all(30)], nodes: changed, places: Self.places, reusing: earlier)
        #expect(after.rankings == 201)
        expectEqual(after, try SteeringTables(keys: [Self.keys[2], .all(30)], nodes: changed, places: Self.places))
    }

    @Test("with other locations everything is ranked again")
    func otherPlaces() throws {
        let earlier = try SteeringTables(keys: [.all(30)], nodes: Self.nodes, places: Self.places)
        let places = PlaceTable([.unknown, .at(3)])
        let now = try SteeringTables(keys: [.all(30)], nodes: Self.nodes, places: places, reusing: earlier)
        #expect(now.rankings == 2)
    }

    @Test("address families with the same members share the cells of a table, and others do not")
    func families() throws {
        func nodes(_ families: (Int) -> [IPAddress]) -> [SteeringNode] {
            (0..<30).map {
                SteeringNode(
                    id: "n\($0)", slot: $0, addresses: families($0),
                    coordinates: Coordinates(latitude: 0, longitude: Int32($0 * 5_000_000)))
            }
        }
        let keys = [SteeringKey.all(30, family: .v4), .all(30, family: .v6), .all(30, family: nil)]
        let same = nodes { [.v4(UInt32($0)), .v6(UInt128($0))] }
        let shared = try SteeringTables(keys: keys, nodes: same, places: Self.places)
        #expect(Set(shared.tables.map(\.listCell)).count == 1 && Set(shared.tables.map(\.classCell)).count == 1)
        #expect(shared.rankings == 201)
        expectEqual(try SteeringTables(keys: keys, nodes: same, places: Self.places, reusing: shared), shared)

        let other = nodes { $0 == 7 ? [.v4(7)] : [.v4(UInt32($0)), .v6(UInt128($0))] }
        let apart = try SteeringTables(keys: keys, nodes: other, places: Self.places)
        #expect(apart.tables[0].listCell == apart.tables[2].listCell)
        #expect(apart.tables[0].listCell != apart.tables[1].listCell)
        #expect(apart.rankings == 402)
    }
}
