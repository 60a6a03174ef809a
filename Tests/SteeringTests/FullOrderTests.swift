import CAllocationCounter
import CFastPathABI
import IPNetworks
import Location
import Steering
import Testing

@Suite("The full order")
struct FullOrderTests {
    private static let countries = ["DE", "FR", "US", "JP"]
    private static let rules = [
        GeoRule(match: .country("DE"), action: .deny, nodes: [0, 1, 2]),
        GeoRule(match: .country("FR"), action: .pin, nodes: [3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]),
        GeoRule(match: .country("JP"), action: .deny),
        GeoRule(match: .word("nobody"), action: .pin, nodes: []),
    ]

    private static func nodes(_ numbers: inout Numbers) -> [SteeringNode] {
        (0..<40).map { index in
            SteeringNode(
                id: "n\(index * 7 % 40)", slot: 39 - index, addresses: [.v4(UInt32(index))],
                coordinates: numbers.coordinates(), isLocated: index % 9 != 4, country: countries[index % 4])
        }
    }

    private static func places(_ numbers: inout Numbers) -> [Place] {
        (0..<12).map { index in
            Place(
                coordinates: index % 5 == 4 ? nil : numbers.coordinates(), country: countries[index % 4],
                labels: index == 7 ? ["nobody"] : [])
        }
    }

    /// The choice as the rules of `bpf/abi/select.h` have it, over all candidates brought in order first.
    private static func expected(_ sample: Sample, _ key: SteeringKey, place: Int, leaf: UInt32, answers: Int) -> [Int]
    {
        let order = Ranking(key, nodes: sample.nodes).order(for: sample.places[place], limit: 40)
        func state(_ node: Int) -> UInt32 { nc_word_state(sample.words.word(sample.nodes[node].slot, nil)) }
        let usable = Set(
            sample.nodes.indices.filter { [NC_NODE_UP.rawValue, NC_NODE_DEGRADED.rawValue].contains(state($0)) })
        let late = key.tierMinimum.indices.filter { tier in
            let members = key.members.filter { $0.tier == tier }
            return key.tierMinimum[tier] > 1
                && members.filter { usable.contains($0.node) }.count < key.tierMinimum[tier]
        }
        var client = Sample.client(leaf)
        let hash = nc_client_hash(&client)
        let hashes = sample.nodes.map { nc_candidate_hash(hash, $0.idHash) }
        let walk = order.sorted { left, right in
            func rank(_ candidate: RankedCandidate) -> UInt64 {
                nc_band_rank(hashes[candidate.node], UInt32(candidate.weight))
            }
            let (a, b) = (late.contains(left.tier) ? 1 : 0, late.contains(right.tier) ? 1 : 0)
            return (a, left.band, rank(left)) < (b, right.band, rank(right))
        }.map(\.node)
        let admitted = walk.filter { node in
            let share = nc_word_share(sample.words.word(sample.nodes[node].slot, nil))
            return usable.contains(node) && (share >= 256 || UInt32(hashes[node] & 0xff) < share)
        }
        let unknown = walk.filter { state($0) == NC_NODE_UNKNOWN.rawValue }
        let chosen = [admitted, walk.filter(usable.contains), unknown, walk].first { !$0.isEmpty } ?? []
        return chosen.prefix(answers).map { sample.nodes[$0].slot }
    }

    @Test(
        "equals a sort of all candidates",
        arguments: [Strategy.nearest, .linear, .stepped, .logarithmic, .latency, .order, .weighted])
    func order(strategy: Strategy) throws {
        var numbers = Numbers(17)
        let nodes = Self.nodes(&numbers)
        let places = Self.places(&numbers)
        for variant in 0..<16 {
            let key = SteeringKey.all(
                40, weights: (0..<40).map { UInt16($0 % 4 + 1) },
                biases: variant & 1 == 0 ? nil : (0..<40).map { $0 % 3 * 20 },
                tiers: variant & 2 == 0 ? nil : (0..<40).map { $0 % 3 },
                tolerance: variant & 4 == 0 ? Tolerance() : Tolerance(percent: 25),
                strategy: strategy, maximumKilometres: variant % 3 == 2 ? 3000 : nil,
                rules: variant & 8 == 0 ? [] : Self.rules, tierMinimum: variant & 2 == 0 ? [] : [8, 1, 3],
                latency: LatencyTable([.country("DE"): [1: 10, 9: 10, 20: 4], .country("US"): [7: 80]]))
            let sample = try Sample(nodes, places, key)
            for round in 0..<4 {
                for slot in 0..<40 {
                    let states = [NC_NODE_UP, NC_NODE_DOWN, NC_NODE_UNKNOWN, NC_NODE_DEGRADED]
                    let drawn = Int.random(in: 0..<[1, 4, 2, 3][round], using: &numbers)
                    // In the last round no node is usable.
                    let state = round == 3 ? [NC_NODE_DOWN, NC_NODE_DRAINED][min(drawn, 1)] : states[drawn]
                    sample.set(slot, state, share: [256, 90][Int.random(in: 0...1, using: &numbers)])
                }
                for place in 0...places.count {
                    let leaf = UInt32.random(in: 0..<1 << 20, using: &numbers)
                    let answers = Int.random(in: 1...8, using: &numbers)
                    let choice = sample.fullOrder(place: place, leaf: leaf, answers: UInt8(answers))
                    let expected = Self.expected(sample, key, place: place, leaf: leaf, answers: answers)
                    #expect(choice.slots == expected, "\(key.strategy) \(variant) round \(round) place \(place)")
                    #expect(choice.isDenied == expected.isEmpty)
                }
            }
        }
    }

    @Test("allocates only the answer and its heap", arguments: [Strategy.weighted, .nearest, .stepped])
    func allocations(strategy: Strategy) throws {
        var numbers = Numbers(3)
        let nodes = Self.nodes(&numbers)
        let sample = try Sample(
            nodes, Self.places(&numbers),
            .all(40, tolerance: Tolerance(kilometres: 8000), strategy: strategy, rules: Self.rules))
        _ = sample.fullOrder(place: 1, leaf: 1)
        let before = nc_allocation_count()
        for leaf in 0..<100 { _ = sample.fullOrder(place: 1 + leaf % 12, leaf: UInt32(leaf), answers: 3) }
        #expect(nc_allocation_count() - before <= 200)
    }
}
