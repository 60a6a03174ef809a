import CFastPathABI
import IPNetworks
import Location
import Steering
import Testing

/// The laws of the architecture that touch selection, over pools, places and states drawn at random.
@Suite("Laws of selection")
struct LawTests {
    private static let strategies: [Strategy] = [
        .nearest, .linear, .quadratic, .logarithmic, .stepped, .latency, .order, .weighted,
    ]
    private static let states = [
        NC_NODE_UP, NC_NODE_UP, NC_NODE_UP, NC_NODE_DEGRADED, NC_NODE_DOWN, NC_NODE_UNKNOWN, NC_NODE_DRAINED,
        NC_NODE_MAINTENANCE,
    ]

    private static func nodes(_ count: Int, _ numbers: inout Numbers) -> [SteeringNode] {
        (0..<count).map { index in
            SteeringNode(
                id: "node-\(index)", slot: index, addresses: [.v4(1)], coordinates: numbers.coordinates(),
                country: ["DE", "FR", "AT"][index % 3], region: ["A", "B"][index % 2])
        }
    }

    private static func key(_ count: Int, _ strategy: Strategy, _ numbers: inout Numbers) -> SteeringKey {
        .all(
            count, weights: (0..<count).map { _ in .random(in: 1...9, using: &numbers) },
            tiers: (0..<count).map { _ in .random(in: 0...1, using: &numbers) },
            tolerance: Tolerance(percent: Bool.random(using: &numbers) ? 40 : 0), strategy: strategy,
            maximumKilometres: Bool.random(using: &numbers) ? 9000 : nil,
            rules: Bool.random(using: &numbers)
                ? [
                    GeoRule(match: .country("DE"), action: .deny, nodes: [0]),
                    GeoRule(match: .country("DE"), action: .pin, nodes: [0, 1, 2, 3]),
                ] : [], latency: LatencyTable([.country("DE"): [1: 10, 2: 30]]))
    }

    private static func places(_ numbers: inout Numbers) -> [Place] {
        [Place(country: "DE", region: "A"), Place(coordinates: numbers.coordinates())]
            + (0..<6).map { _ in Place(coordinates: numbers.coordinates(), country: "DE", region: "A") }
    }

    private static func setStates(_ sample: Sample, _ numbers: inout Numbers) {
        for node in sample.nodes {
            let state = states.randomElement(using: &numbers) ?? NC_NODE_UP
            sample.set(
                node.slot, state, share: state == NC_NODE_DEGRADED ? .random(in: 0...256, using: &numbers) : 256,
                ttl: .random(in: 1...100, using: &numbers))
        }
    }

    @Test("candidate lists and the full order choose the same nodes, for pools that a list can hold")
    func twoWalks() throws {
        var numbers = Numbers(31)
        for round in 0..<160 {
            let count = Int.random(in: 1...8, using: &numbers)
            let sample = try Sample(
                Self.nodes(count, &numbers), Self.places(&numbers),
                Self.key(count, Self.strategies[round % 8], &numbers))
            for _ in 0..<40 {
                Self.setStates(sample, &numbers)
                let place = Int.random(in: 0..<sample.places.count, using: &numbers)
                let leaf = UInt32.random(in: 0..<1 << 24, using: &numbers)
                let answers = UInt8.random(in: 1...8, using: &numbers)
                let choice = sample.select(place: place, leaf: leaf, answers: answers)
                let full = sample.fullOrder(place: place, leaf: leaf, answers: answers)
                #expect(choice.slots == full.slots)
                #expect(choice.ttl == full.ttl)
                #expect(choice.isAllDown == full.isAllDown)
                #expect(choice.isDenied == full.isDenied)
                // Only rules refuse a client, and each client gets as many nodes as there are.
                #expect(choice.slots.isEmpty == choice.isDenied)
                if let local = sample.fastPath(place: place, leaf: leaf, answers: answers) {
                    #expect(local == choice.slots)
                } else {
                    #expect(choice.isDenied || !choice.isLocal)
                }
            }
        }
    }

    @Test("large pools: never empty, never a node out of use while others are usable, both paths alike")
    func largePools() throws {
        var numbers = Numbers(32)
        for round in 0..<64 {
            let count = Int.random(in: 9...60, using: &numbers)
            let sample = try Sample(
                Self.nodes(count, &numbers), Self.places(&numbers),
                Self.key(count, Self.strategies[round % 8], &numbers))
            for _ in 0..<40 {
                Self.setStates(sample, &numbers)
                let place = Int.random(in: 0..<sample.places.count, using: &numbers)
                let leaf = UInt32.random(in: 0..<1 << 24, using: &numbers)
                let choice = sample.select(place: place, leaf: leaf, answers: 3)
                #expect(!choice.slots.isEmpty || choice.isDenied)
                #expect(choice.slots == sample.fullOrder(place: place, leaf: leaf, answers: 3).slots)
                if let local = sample.fastPath(place: place, leaf: leaf, answers: 3) {
                    #expect(local == choice.slots)
                }
                let ranking = sample.tables.tables[0].ranking
                let candidates = ranking.order(for: sample.places[place], limit: count).map {
                    sample.nodes[$0.node].slot
                }
                #expect(Set(choice.slots).isSubset(of: candidates))
                func isUsable(_ slot: Int) -> Bool {
                    [NC_NODE_UP.rawValue, NC_NODE_DEGRADED.rawValue].contains(
                        nc_word_state(sample.words.word(slot, sample.tables.tables[0].key.family)))
                }
                if candidates.contains(where: isUsable) { #expect(choice.slots.allSatisfy(isUsable)) }
            }
        }
    }

    @Test("a single answer of the fast path is that of the full order, for any pool and any states")
    func exact() throws {
        var numbers = Numbers(35)
        for round in 0..<48 {
            let count = Int.random(in: 9...120, using: &numbers)
            let sample = try Sample(
                Self.nodes(count, &numbers), Self.places(&numbers) + Self.places(&numbers),
                Self.key(count, Self.strategies[round % 8], &numbers))
            var locals = 0
            for _ in 0..<80 {
                let place = Int.random(in: 1..<sample.places.count, using: &numbers)
                let leaf = UInt32.random(in: 0..<1 << 24, using: &numbers)
                for node in sample.nodes { sample.set(node.slot, NC_NODE_UP) }
                // The first ones down, as many as it takes to leave lists and backstops.
                for _ in 0..<18 {
                    let full = sample.fullOrder(place: place, leaf: leaf)
                    #expect(sample.select(place: place, leaf: leaf).slots == full.slots)
                    if let local = sample.fastPath(place: place, leaf: leaf) {
                        #expect(local == full.slots)
                        locals += 1
                    }
                    if full.isAllDown || full.isDenied { break }
                    for slot in full.slots { sample.set(slot, NC_NODE_DOWN) }
                }
            }
            // Weights of many are user space's.
            if sample.tables.tables[0].key.strategy != .weighted { #expect(locals > 0) }
        }
    }

    @Test("slots and the order of nodes and members have no effect")
    func permutation() throws {
        var numbers = Numbers(33)
        // The pool's order is what two of the strategies are about.
        for strategy in Self.strategies where strategy != .order {
            let nodes = Self.nodes(24, &numbers)
            let places = [Place](Self.places(&numbers).dropFirst())
            let key = Self.key(24, strategy, &numbers)
            let sample = try Sample(nodes, places, key)
            let order = (0..<24).shuffled(using: &numbers)
            let position = Dictionary(uniqueKeysWithValues: order.enumerated().map { ($1, $0) })
            let moved = order.map { old in
                SteeringNode(
                    id: nodes[old].id, slot: 500 + old * 7 % 24, addresses: [.v4(1)],
                    coordinates: nodes[old].coordinates,
                    country: nodes[old].country, region: nodes[old].region)
            }
            func renumbered(_ old: Int) -> Int { position[old] ?? -1 }
            let other = SteeringKey(
                members: key.members.shuffled(using: &numbers).map {
                    PoolMember(node: renumbered($0.node), weight: $0.weight, bias: $0.bias, tier: $0.tier)
                }, tolerance: key.tolerance, family: key.family, strategy: strategy,
                maximumKilometres: key.maximumKilometres,
                rules: key.rules.reversed().map {
                    GeoRule(match: $0.match, action: $0.action, nodes: $0.nodes?.map(renumbered))
                },
                latency: LatencyTable(
                    [.country("DE"): [renumbered(1): 10, renumbered(2): 30]]))
            let again = try Sample(moved, places, other)
            for place in 1...places.count {
                for leaf in 0..<100 as Range<UInt32> {
                    #expect(
                        sample.choose(place: place, leaf: leaf, answers: 3)
                            == again.choose(place: place, leaf: leaf, answers: 3))
                }
            }
        }
    }

    @Test("removing a node from the pool moves its own clients only", arguments: [6, 12])
    func rendezvous(count: Int) throws {
        var numbers = Numbers(34)
        let nodes = Self.nodes(count, &numbers)
        let places = (0..<20).map { _ in Place(coordinates: numbers.coordinates()) }
        for strategy in [Strategy.nearest, .weighted, .stepped, .linear] {
            let members = (0..<count).map { PoolMember(node: $0, weight: UInt16($0 % 3 + 1)) }
            func sample(without removed: Int?) throws -> Sample {
                try Sample(
                    nodes, places,
                    SteeringKey(
                        members: members.filter { $0.node != removed }, tolerance: Tolerance(), family: .v4,
                        strategy: strategy))
            }
            let before = try sample(without: nil)
            for removed in 0..<count {
                let after = try sample(without: removed)
                var (moved, own) = (0, 0)
                for leaf in 0..<400 as Range<UInt32> {
                    let place = Int(leaf) % places.count + 1
                    let (old, new) = (before.choose(place: place, leaf: leaf), after.choose(place: place, leaf: leaf))
                    if old == [nodes[removed].id] { own += 1 } else { #expect(old == new) }
                    if old != new { moved += 1 }
                }
                #expect(moved == own)
            }
        }
    }
}
