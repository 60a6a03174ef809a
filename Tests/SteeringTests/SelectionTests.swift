import CFastPathABI
import IPNetworks
import Location
import Steering
import Testing

/// Nodes along the equator, a degree apart, all up; client places at given longitudes.
struct World {
    let nodes: [SteeringNode]
    let places: PlaceTable
    let words = NodeWords()

    /// - Parameter at: longitudes of the nodes, in degrees; `v6`: which have an IPv6 address too.
    init(at longitudes: [Int], clients: [Int], v6: Set<Int> = []) {
        nodes = longitudes.enumerated().map { index, longitude in
            SteeringNode(
                id: "n\(index)", slot: index,
                addresses: [.v4(0xc612_0000 + UInt32(index))] + (v6.contains(index) ? [.v6(UInt128(index) + 1)] : []),
                coordinates: Coordinates(latitude: 0, longitude: Int32(longitude) * 1_000_000), country: "C\(index % 7)"
            )
        }
        places = PlaceTable(
            [.unknown] + clients.map { Place(coordinates: Coordinates(latitude: 0, longitude: Int32($0) * 1_000_000)) })
        for node in nodes {
            words.store(node.slot, nc_node_word(NC_NODE_UP.rawValue, 256, NC_TTL_STABLE, 0))
            words.storeIDHash(node.slot, node.idHash)
        }
    }

    func set(_ slot: Int, _ state: nc_node_state, share: UInt32 = 256, ttl: UInt32 = NC_TTL_STABLE) {
        words.store(slot, nc_node_word(state.rawValue, share, ttl, 1))
    }

    func tables(weights: [UInt16]? = nil, tolerance: Tolerance = Tolerance(), family: IPFamily = .v4) throws
        -> SteeringTables
    {
        let members = nodes.indices.map { PoolMember(node: $0, weight: weights?[$0] ?? 1) }
        return try SteeringTables(
            keys: [SteeringKey(members: members, tolerance: tolerance, family: family)], nodes: nodes, places: places)
    }

    /// The choice for the client at place `place`, whose leaf is `leaf`.
    func choose(
        _ tables: SteeringTables, place: Int, leaf: UInt32 = 1, answers: UInt8 = 1,
        allDown: nc_all_down = NC_ALL_DOWN_OPEN
    ) -> Selection {
        let rule = nc_rule(
            ttl_min: 10, ttl_max: 60, answers: answers, all_down: UInt8(allDown.rawValue), ecs: 1, reserved: 0)
        let client = nc_client(leaf: nc_address(.v4(leaf << 8)), name_hash: steeringHash(Array("www".utf8)))
        return tables.select(
            table: 0, place: place, client: client, rule: rule, words: words)
    }
}

@Suite("Selection")
struct SelectionTests {
    @Test("the nearest usable node answers, with the record's longest TTL")
    func nearest() throws {
        let world = World(at: [0, 10, 20, 30], clients: [9, 21])
        let tables = try world.tables()
        #expect(world.choose(tables, place: 1).slots == [1])
        #expect(world.choose(tables, place: 2).slots == [2])
        #expect(world.choose(tables, place: 1).ttl == 60)
    }

    @Test(
        "a node in this state is skipped",
        arguments: [NC_NODE_DOWN, NC_NODE_DRAINED, NC_NODE_MAINTENANCE, NC_NODE_UNKNOWN])
    func passedOver(state: nc_node_state) throws {
        let world = World(at: [0, 10, 20], clients: [1])
        let tables = try world.tables()
        world.set(0, state)
        #expect(world.choose(tables, place: 1).slots == [1])
    }

    @Test("a client at an unknown location gets the pool's order")
    func unknownPlace() throws {
        let world = World(at: [50, 10, 20], clients: [])
        #expect(world.choose(try world.tables(), place: 0, answers: 3).slots == [0, 1, 2])
    }

    @Test("several answers come in order of distance")
    func several() throws {
        let world = World(at: [0, 10, 20, 30, 40], clients: [21])
        #expect(world.choose(try world.tables(), place: 1, answers: 3).slots == [2, 3, 1])
    }

    @Test("equally near nodes share clients, with ties decided by id")
    func equalDistance() throws {
        let world = World(at: [10, 10], clients: [0])
        let tables = try world.tables()
        let first = (0..<4000).filter { world.choose(tables, place: 1, leaf: UInt32($0)).slots == [0] }.count
        #expect(abs(first - 2000) < 130)
    }

    @Test("weights inside a band are met", arguments: [[1, 1, 1, 1], [1, 2, 3, 4], [100, 1, 1, 1]] as [[UInt16]])
    func weights(weights: [UInt16]) throws {
        let world = World(at: [0, 1, 2, 3], clients: [0])
        let tables = try world.tables(weights: weights, tolerance: Tolerance(kilometres: 1000))
        var counts = [Int](repeating: 0, count: 4)
        let clients = 100_000
        for leaf in 0..<clients { counts[world.choose(tables, place: 1, leaf: UInt32(leaf)).slots[0]] += 1 }
        let total = weights.reduce(0) { $0 + Double($1) }
        for (count, weight) in zip(counts, weights) {
            #expect(abs(Double(count) / Double(clients) - Double(weight) / total) < 0.005)
        }
    }

    @Test("a node that leaves a band moves its own clients only")
    func rendezvous() throws {
        let world = World(at: [0, 1, 2, 3], clients: [0])
        let tables = try world.tables(tolerance: Tolerance(kilometres: 1000))
        let before = (0..<2000).map { world.choose(tables, place: 1, leaf: UInt32($0)).slots[0] }
        world.set(2, NC_NODE_DOWN)
        for (leaf, slot) in before.enumerated() {
            let after = world.choose(tables, place: 1, leaf: UInt32(leaf)).slots[0]
            #expect(slot == 2 ? after != 2 : after == slot)
        }
    }

    @Test("a share admits that part of the clients, always the same ones", arguments: [0, 64, 128, 255])
    func share(share: UInt32) throws {
        let world = World(at: [0, 10], clients: [0])
        let tables = try world.tables()
        world.set(0, NC_NODE_DEGRADED, share: share)
        let admitted = (0..<20_000).filter { world.choose(tables, place: 1, leaf: UInt32($0)).slots == [0] }
        #expect(abs(Double(admitted.count) / 20_000 - Double(share) / 256) < 0.015)
        #expect(admitted == (0..<20_000).filter { world.choose(tables, place: 1, leaf: UInt32($0)).slots == [0] })
    }

    @Test("a share is ignored if it would leave a client without a node")
    func shareIgnored() throws {
        let world = World(at: [0, 10], clients: [0])
        let tables = try world.tables()
        world.set(0, NC_NODE_DEGRADED, share: 0)
        world.set(1, NC_NODE_DOWN)
        #expect(world.choose(tables, place: 1).slots == [0])
    }

    @Test("UNKNOWN nodes answer only when nothing is usable")
    func unknownState() throws {
        let world = World(at: [0, 10], clients: [0])
        let tables = try world.tables()
        world.set(0, NC_NODE_UNKNOWN)
        world.set(1, NC_NODE_DOWN)
        let choice = world.choose(tables, place: 1)
        #expect(choice.slots == [0])
        #expect(!choice.isAllDown)
    }

    @Test("when all nodes are down, `open` answers the nearest with the shortest TTL, and `refuse` refuses")
    func allDown() throws {
        let world = World(at: [0, 10], clients: [9])
        let tables = try world.tables()
        for slot in 0...1 { world.set(slot, NC_NODE_DOWN) }
        let open = world.choose(tables, place: 1)
        #expect((open.slots, open.ttl, open.isAllDown) == ([1], 10, true))
        #expect(world.choose(tables, place: 1, allDown: NC_ALL_DOWN_USER_SPACE).slots == [])
    }

    @Test("the TTL is the minimum of all nodes visited, also skipped ones, within the record's limits")
    func ttl() throws {
        let world = World(at: [0, 10, 20], clients: [0])
        let tables = try world.tables()
        world.set(0, NC_NODE_DOWN, ttl: 20)
        #expect(world.choose(tables, place: 1).ttl == 20)
        world.set(0, NC_NODE_DOWN, ttl: 3)
        #expect(world.choose(tables, place: 1).ttl == 10)
        world.set(0, NC_NODE_UP)
        world.set(2, NC_NODE_UP, ttl: 15)
        #expect(world.choose(tables, place: 1).ttl == 60)
    }

    @Test("with the eight nearest nodes down, the fast path's lists have others that answer")
    func backstop() throws {
        let world = World(at: Array(0..<40), clients: [0])
        let tables = try world.tables()
        for slot in 0..<8 { world.set(slot, NC_NODE_DOWN) }
        let choice = world.choose(tables, place: 1)
        #expect(choice.isLocal && !choice.isAllDown)
        #expect(choice.slots[0] >= 8)
    }

    @Test("with lists exhausted, the nearest usable node of the whole pool answers")
    func fullOrder() throws {
        let world = World(at: Array(0..<60), clients: [0])
        let tables = try world.tables()
        for slot in 0..<55 { world.set(slot, NC_NODE_DOWN) }
        let choice = world.choose(tables, place: 1)
        #expect(choice.slots == [55])
        #expect(!choice.isLocal && !choice.isAllDown)
        for slot in 55..<60 { world.set(slot, NC_NODE_DOWN) }
        #expect(world.choose(tables, place: 1).isAllDown)
    }

    @Test("nodes without an address of the family are no candidates")
    func family() throws {
        let world = World(at: [0, 10, 20], clients: [0], v6: [1, 2])
        #expect(world.choose(try world.tables(family: .v6), place: 1, answers: 3).slots == [1, 2])
    }

    @Test("slots have no effect: the same ids in other slots give the same nodes")
    func slotsDoNotDecide() throws {
        let world = World(at: [0, 0, 0, 0], clients: [0])
        let tables = try world.tables()
        let moved = world.nodes.map { node in
            SteeringNode(
                id: node.id, slot: 900 - node.slot, addresses: [.v4(node.v4 ?? 0)], coordinates: node.coordinates)
        }
        for node in moved {
            world.words.store(node.slot, nc_node_word(NC_NODE_UP.rawValue, 256, NC_TTL_STABLE, 0))
            world.words.storeIDHash(node.slot, node.idHash)
        }
        let key = SteeringKey(
            members: moved.indices.map { PoolMember(node: $0, weight: 1) }, tolerance: Tolerance(), family: .v4)
        let others = try SteeringTables(keys: [key], nodes: moved, places: world.places)
        for leaf in 0..<500 as Range<UInt32> {
            #expect(
                world.choose(others, place: 1, leaf: leaf).slots.map { 900 - $0 }
                    == world.choose(tables, place: 1, leaf: leaf).slots)
        }
    }

    @Test("the nearest of many nodes are those of brute force, in the expected number of lists")
    func classes() throws {
        func point(_ index: Int, _ a: Int, _ b: Int) -> Coordinates {
            Coordinates(
                latitude: Int32(index * a % 160_001_000 - 80_000_500),
                longitude: Int32(index * b % 360_000_000 - 180_000_000))
        }
        let nodes = (0..<60).map {
            SteeringNode(
                id: "n\($0 / 10)\($0 % 10)", slot: $0, addresses: [.v4(1)],
                coordinates: point($0 + 1, 50_331_653, 201_326_611))
        }
        let places = (1...3000).map { Place(coordinates: point($0, 12_582_917, 100_663_319)) }
        let sample = try Sample(nodes, places, .all(60))
        // And one of clients of unknown place.
        #expect(sample.tables.tables[0].classes == 2483 + 1)
        let ranking = Ranking(.all(60), nodes: nodes)
        #expect(Set(places.map { ranking.order(for: $0, limit: 4).map(\.node) }).count == 1224)
        for place in 1...3000 {
            let list = sample.tables.list(table: 0, place: place).pointee
            let slots = withUnsafeBytes(of: list.slot) { bytes in
                (0..<8).map { Int(bytes.load(fromByteOffset: 2 * $0, as: UInt16.self)) }
            }
            #expect(slots == ranking.order(for: places[place - 1], limit: 8).map(\.node))
        }
    }

    @Test(
        "lists begin with the order of their location, and hold whole bands",
        arguments: [
            .all(120, biases: (0..<120).map { $0 % 7 * 10 }), .all(120, tiers: (0..<120).map { $0 % 2 }),
            .all(120, tolerance: Tolerance(percent: 3)), .all(120, strategy: .linear),
            .all(120, strategy: .logarithmic),
            .all(120, strategy: .stepped), .all(120, maximumKilometres: 3000), .all(120, strategy: .order),
            .all(120, strategy: .order, maximumKilometres: 3000),
            .all(120, strategy: .latency, latency: LatencyTable([.country("DE"): [7: 10, 100: 12]])),
            .all(120, rules: [GeoRule(match: .country("DE"), action: .deny, nodes: Array(0..<60))]),
        ] as [SteeringKey])
    func lists(key: SteeringKey) throws {
        var numbers = Numbers(5)
        let nodes = (0..<120).map {
            SteeringNode(
                id: "n\($0)", slot: $0, addresses: [.v4(1)], coordinates: numbers.coordinates(),
                country: ["DE", "FR"][$0 % 2])
        }
        let places = (0..<600).map {
            Place(coordinates: numbers.coordinates(), country: ["DE", "FR", nil][$0 % 3])
        }
        let sample = try Sample(nodes, places, key)
        let ranking = Ranking(key, nodes: nodes)
        for (index, place) in places.enumerated() {
            let list = sample.tables.list(table: 0, place: index + 1).pointee
            let order = ranking.order(for: place, limit: 120)
            let cut = order.count > 8 && order[8].band == order[7].band ? order[8].band : .max
            let local = order.prefix(8).filter { $0.band < cut }
            withUnsafeBytes(of: list) { bytes in
                func slot(_ index: Int) -> Int { Int(bytes.load(fromByteOffset: 8 + 2 * index, as: UInt16.self)) }
                #expect((0..<Int(list.count)).map(slot) == local.map(\.node))
                #expect((0..<Int(list.count)).map { Int(bytes[40 + $0]) } == local.map(\.band))
            }
        }
    }

    @Test("-log2 is right to six digits and never negative")
    func minusLog2() {
        #expect(nc_minus_log2(1 << 32) == 0)
        #expect(nc_minus_log2(1 << 31) == 1 << 24)
        #expect(nc_minus_log2(1) == 32 << 24)
        // 3/4: -log2 = 0.4150374993
        #expect(abs(Double(nc_minus_log2(3 << 30)) / Double(1 << 24) - 0.415_037_499_3) < 1e-6)
    }
}
