import CFastPathABI
import IPNetworks
import Location
import Steering
import Testing

@Suite("Strategies")
struct StrategyTests {
    private func ids(_ nodes: [SteeringNode], _ key: SteeringKey, _ place: Place = .at(0)) -> [String] {
        Ranking(key, nodes: nodes).order(for: place, limit: nodes.count).map { nodes[$0.node].id }
    }

    @Test(
        "a bias reduces the distance by its percentage",
        arguments: [
            ([0, 0], ["a", "b"]), ([0, 51], ["b", "a"]), ([0, 49], ["a", "b"]), ([-99, 0], ["a", "b"]),
            ([-99, 1], ["b", "a"]), ([50, 50], ["a", "b"]), ([-99, -99], ["a", "b"]),
        ] as [([Int], [String])])
    func bias(biases: [Int], expected: [String]) {
        // 10° and 20° away: 10·(1 - a/100) against 20·(1 - b/100).
        #expect(ids(SteeringNode.row([10, 20]), .all(2, biases: biases)) == expected)
    }

    @Test("the order by biased distance is that of the formula")
    func biasedOrder() {
        var numbers = Numbers(11)
        for _ in 0..<100 {
            let nodes = (0..<50).map {
                SteeringNode(id: "n\($0)", slot: $0, addresses: [.v4(1)], coordinates: numbers.coordinates())
            }
            let biases = nodes.map { _ in Int.random(in: -99...99, using: &numbers) }
            let place = Place(coordinates: numbers.coordinates())
            let members = Ranking(.all(50, biases: biases), nodes: nodes).explanation(for: place).members
            let effective = members.map { ($0.metres ?? 0) * (1 - Double($0.member.bias) / 100) }
            #expect(members.count == 50)
            for (left, right) in zip(effective, effective.dropFirst()) { #expect(left <= right + 1e-6) }
        }
    }

    @Test("the beginning of a long order is that of the whole order", arguments: [1, 2, 8, 9, 16])
    func prefix(limit: Int) {
        var numbers = Numbers(12)
        for strategy in [Strategy.nearest, .linear, .logarithmic, .order, .latency] {
            let nodes = (0..<60).map {
                SteeringNode(
                    id: "n\($0)", slot: $0, addresses: [.v4(1)], coordinates: numbers.coordinates(),
                    isLocated: $0 % 20 != 7, country: ["DE", "FR"][$0 % 2], region: ["A", "B", "C"][$0 % 3])
            }
            let latency = LatencyTable([.country("DE"): [3: 20, 4: 10, 5: 20], .any: [6: 5, 7: 20]])
            let key = SteeringKey.all(
                60, biases: (0..<60).map { $0 % 3 * 20 }, tiers: (0..<60).map { $0 / 40 }, strategy: strategy,
                maximumKilometres: strategy == .nearest ? 9000 : nil, latency: latency)
            let place = Place(coordinates: numbers.coordinates(), country: "DE", region: "A")
            let whole = Ranking(key, nodes: nodes).order(for: place, limit: 60)
            #expect(Ranking(key, nodes: nodes).order(for: place, limit: limit) == Array(whole.prefix(limit)))
        }
    }

    @Test("nodes with a measured latency come first, the others follow by distance")
    func latency() {
        let nodes = SteeringNode.row([10, 20, 30, 40, 50])
        let table = LatencyTable([.country("DE"): [3: 12, 4: 7], .any: [4: 1, 2: 30], .continent("EU"): [2: 9]])
        let key = SteeringKey.all(5, strategy: .latency, latency: table)
        #expect(ids(nodes, key, .at(0, country: "DE", continent: "EU")) == ["e", "c", "d", "a", "b"])
        #expect(ids(nodes, key, .at(0, country: "FR")) == ["e", "c", "a", "b", "d"])
        // Without a place of its own a client has the pool's order behind what is measured.
        #expect(ids(nodes, key, Place(country: "DE")) == ["e", "d", "c", "a", "b"])
    }

    @Test("equal latencies are ordered by distance, and near ones share a band if the policy says so")
    func latencyTies() {
        let nodes = SteeringNode.row([30, 10, 20])
        let table = LatencyTable([.any: [0: 100, 1: 100, 2: 109]])
        func bands(_ percent: Int) -> [[Int]] {
            let key = SteeringKey.all(3, tolerance: Tolerance(percent: percent), strategy: .latency, latency: table)
            return Ranking(key, nodes: nodes).order(for: .at(0), limit: 3).map { [$0.node, $0.band] }
        }
        #expect(bands(0) == [[1, 0], [0, 1], [2, 2]])
        #expect(bands(10) == [[0, 0], [1, 0], [2, 0]])
    }

    @Test(
        "a member exactly at the tolerance shares the band, one millisecond more does not",
        arguments: [(10, 110), (1, 101), (50, 150), (100, 200)])
    func toleranceEdge(percent: Int, edge: Int) {
        let nodes = SteeringNode.row([10, 20, 30])
        let table = LatencyTable([.any: [0: 100, 1: edge, 2: edge + 1]])
        let key = SteeringKey.all(3, tolerance: Tolerance(percent: percent), strategy: .latency, latency: table)
        let order = Ranking(key, nodes: nodes).order(for: .at(0), limit: 3)
        #expect(order.map { [$0.node, $0.band] } == [[0, 0], [1, 0], [2, 1]])
    }

    @Test("the pool's order is kept, each member a band of its own")
    func poolOrder() {
        let nodes = SteeringNode.row([30, 10, 20])
        let order = Ranking(.all(3, strategy: .order), nodes: nodes).order(for: .at(0), limit: 3)
        #expect(order.map(\.node) == [0, 1, 2])
        #expect(order.map(\.band) == [0, 1, 2])
    }

    @Test("only weights decide, at any distance, also for clients at an unknown location")
    func weighted() throws {
        let nodes = SteeringNode.row([0, 90, 180])
        let sample = try Sample(nodes, [.at(0)], .all(3, weights: [1, 2, 1], strategy: .weighted))
        for place in [0, 1] {
            var counts: [String: Int] = [:]
            for leaf in 0..<40_000 { counts[sample.choose(place: place, leaf: UInt32(leaf))[0], default: 0] += 1 }
            #expect(abs(Double(counts["b", default: 0]) / 40_000 - 0.5) < 0.01)
            #expect(abs(Double(counts["c", default: 0]) / 40_000 - 0.25) < 0.01)
        }
        #expect(sample.select().isLocal)
    }

    @Test("nodes at an unknown location come after the others, in the pool's order")
    func unlocated() {
        func node(_ id: String, _ slot: Int, located: Bool) -> SteeringNode {
            SteeringNode(
                id: id, slot: slot, addresses: [.v4(1)], coordinates: Coordinates(latitude: 0, longitude: 0),
                isLocated: located)
        }
        let nodes = [node("z", 0, located: false), node("y", 1, located: false), .at(90, id: "x", slot: 2)]
        #expect(ids(nodes, .all(3)) == ["x", "z", "y"])
    }

    @Test("overlay tables have the nodes with an overlay address, or all nodes if none has one")
    func overlay() {
        let place = Coordinates(latitude: 0, longitude: 0)
        let nodes = (0..<3).map { index in
            SteeringNode(
                id: "n\(index)", slot: index, addresses: [.v4(1), .v6(1)], overlay: index == 1 ? [.v4(2)] : [],
                coordinates: place)
        }
        let v4 = Ranking(.all(3, overlay: true), nodes: nodes)
        #expect(v4.order(for: .at(0), limit: 3).map(\.node) == [1])
        #expect(v4.usesOverlay)
        #expect(nodes[1].address(.v4, overlay: true) == .v4(2))
        let v6 = Ranking(.all(3, family: .v6, overlay: true), nodes: nodes)
        #expect(v6.order(for: .at(0), limit: 3).count == 3)
        #expect(!v6.usesOverlay)
    }
}
