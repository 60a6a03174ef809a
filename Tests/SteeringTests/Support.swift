import CFastPathABI
import IPNetworks
import Location
import Steering

/// Numbers that look random and are the same in every run (SplitMix64).
struct Numbers: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        return nc_mix(state)
    }

    /// Spread over the sphere.
    mutating func coordinates() -> Coordinates {
        Coordinates(
            latitude: Int32.random(in: -90_000_000...90_000_000, using: &self),
            longitude: Int32.random(in: -180_000_000...180_000_000, using: &self))
    }
}

/// Nodes, places and one table over them, all nodes up.
struct Sample {
    let nodes: [SteeringNode]
    let places: PlaceTable
    let words = NodeWords()
    let tables: SteeringTables

    init(_ nodes: [SteeringNode], _ places: [Place], _ key: SteeringKey) throws {
        self.nodes = nodes
        self.places = PlaceTable([.unknown] + places)
        tables = try SteeringTables(keys: [key], nodes: nodes, places: self.places)
        for node in nodes {
            words.store(node.slot, nc_node_word(NC_NODE_UP.rawValue, 256, NC_TTL_STABLE, 0))
            words.storeIDHash(node.slot, node.idHash)
        }
    }

    func set(_ slot: Int, _ state: nc_node_state, share: UInt32 = 256, ttl: UInt32 = NC_TTL_STABLE) {
        words.store(slot, nc_node_word(state.rawValue, share, ttl, 1))
    }

    static func rule(answers: UInt8 = 1, allDown: nc_all_down = NC_ALL_DOWN_OPEN) -> nc_rule {
        nc_rule(ttl_min: 10, ttl_max: 60, answers: answers, all_down: UInt8(allDown.rawValue), ecs: 1, reserved: 0)
    }

    static func client(_ leaf: UInt32) -> nc_client {
        nc_client(leaf: nc_address(.v4(leaf << 8)), name_hash: steeringHash(Array("www".utf8)))
    }

    /// Ids of the nodes chosen for the client of leaf `leaf` at place `place`.
    func choose(place: Int = 1, leaf: UInt32 = 1, answers: UInt8 = 1) -> [String] {
        select(place: place, leaf: leaf, answers: answers).slots.compactMap { tables.node(slot: $0)?.id }
    }

    func select(
        place: Int = 1, leaf: UInt32 = 1, answers: UInt8 = 1, allDown: nc_all_down = NC_ALL_DOWN_OPEN
    ) -> Selection {
        tables.select(
            table: 0, place: place, client: Self.client(leaf), rule: Self.rule(answers: answers, allDown: allDown),
            words: words)
    }

    /// The choice without the lists.
    func fullOrder(place: Int, leaf: UInt32, answers: UInt8 = 1) -> Selection {
        tables.selectByFullOrder(
            table: 0, place: place, client: Self.client(leaf), rule: Self.rule(answers: answers), words: words)
    }

    /// What the fast path comes to: nil when it leaves the choice to user space.
    func fastPath(place: Int = 1, leaf: UInt32 = 1, answers: UInt8 = 1) -> [Int]? {
        var (client, rule) = (Self.client(leaf), Self.rule(answers: answers))
        var result = nc_selection()
        let list = tables.list(table: 0, place: place)
        let backstop = UnsafeRawPointer(tables.lists[Int(list.pointee.backstop)]).assumingMemoryBound(
            to: nc_backstop.self)
        nc_select(
            list, backstop, words.pointer, 0, &client, &rule, tables.census(of: 0, word: words.word), &result)
        guard result.outcome != NC_EXHAUSTED.rawValue else { return nil }
        return withUnsafeBytes(of: result.slot) { bytes in
            (0..<Int(result.count)).map { Int(bytes.load(fromByteOffset: 2 * $0, as: UInt16.self)) }
        }
    }
}

extension SteeringNode {
    /// A node on the equator.
    static func at(
        _ longitude: Double, id: String, slot: Int, country: String? = nil, region: String? = nil
    ) -> SteeringNode {
        SteeringNode(
            id: id, slot: slot, addresses: [.v4(0xc612_0000 + UInt32(slot))],
            coordinates: Coordinates(latitude: 0, longitude: Int32(longitude * 1_000_000)), country: country,
            region: region)
    }

    /// Nodes on the equator with ids a, b, c... in slots 0, 1, 2...
    static func row(_ longitudes: [Double]) -> [SteeringNode] {
        longitudes.enumerated().map { index, longitude in
            .at(longitude, id: String(UnicodeScalar(UInt8(97 + index))), slot: index)
        }
    }
}

extension Place {
    /// A place on the equator.
    static func at(
        _ longitude: Double, country: String? = nil, region: String? = nil, continent: String? = nil,
        labels: [String] = []
    ) -> Place {
        Place(
            coordinates: Coordinates(latitude: 0, longitude: Int32(longitude * 1_000_000)), country: country,
            region: region, continent: continent, labels: labels)
    }
}

extension SteeringKey {
    /// Every one of `count` nodes, with weight 1.
    static func all(
        _ count: Int, weights: [UInt16]? = nil, biases: [Int]? = nil, tiers: [Int]? = nil,
        tolerance: Tolerance = Tolerance(), strategy: Strategy = .nearest,
        scoring: OriginalScoring = OriginalScoring(), maximumKilometres: Int? = nil, rules: [GeoRule] = [],
        tierMinimum: [Int] = [], latency: LatencyTable? = nil, family: IPFamily? = .v4, overlay: Bool = false
    ) -> SteeringKey {
        SteeringKey(
            members: (0..<count).map {
                PoolMember(node: $0, weight: weights?[$0] ?? 1, bias: biases?[$0] ?? 0, tier: tiers?[$0] ?? 0)
            }, tolerance: tolerance, family: family, strategy: strategy, scoring: scoring,
            maximumKilometres: maximumKilometres, rules: rules, tierMinimum: tierMinimum, latency: latency,
            overlay: overlay)
    }
}
