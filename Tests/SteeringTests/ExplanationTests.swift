import IPNetworks
import Location
import Steering
import Testing

@Suite("Explanation")
struct ExplanationTests {
    @Test("candidates are listed in order, and every other member has a reason")
    func sameAsOrder() {
        var numbers = Numbers(21)
        for strategy in [Strategy.nearest, .linear, .stepped, .latency, .order, .weighted] {
            let nodes = (0..<40).map { index in
                SteeringNode(
                    id: "n\(index)", slot: index, addresses: index % 9 == 4 ? [.v6(1)] : [.v4(1)],
                    coordinates: numbers.coordinates(), country: ["DE", "FR"][index % 2])
            }
            let key = SteeringKey.all(
                40, tiers: (0..<40).map { $0 % 2 }, strategy: strategy, maximumKilometres: 9000,
                rules: [
                    GeoRule(match: .country("DE"), action: .deny, nodes: [0, 1, 2]),
                    GeoRule(match: .country("FR"), action: .allow, nodes: [5, 6, 7]),
                ], latency: LatencyTable([.any: [3: 10, 8: 20]]))
            let ranking = Ranking(key, nodes: nodes)
            let place = Place(coordinates: numbers.coordinates(), country: "DE")
            let order = ranking.order(for: place, limit: 40)
            let explanation = ranking.explanation(for: place)
            let candidates = explanation.members.filter { $0.dropped == nil }
            #expect(candidates.map(\.member.node) == order.map(\.node))
            #expect(candidates.map(\.band) == order.map(\.band))
            #expect(Set(explanation.members.map(\.member.node)) == Set(0..<40))
            #expect(explanation.members.count == 40)
        }
    }

    @Test("each filter lists the nodes that it dropped, and the rule")
    func reasons() {
        let nodes =
            SteeringNode.row([10, 20, 30, 40, 150])
            + [SteeringNode(id: "f", slot: 5, addresses: [.v6(1)], coordinates: Coordinates(latitude: 0, longitude: 0))]
        let key = SteeringKey.all(
            6, maximumKilometres: 9000,
            rules: [
                GeoRule(match: .any, action: .allow, nodes: [0]),
                GeoRule(match: .country("FR"), action: .allow, nodes: [1]),
                GeoRule(match: .continent("EU"), action: .deny, nodes: [2]),
            ])
        let explanation = Ranking(key, nodes: nodes).explanation(for: .at(0, country: "DE", continent: "EU"))
        #expect(explanation.members.map(\.member.node) == [0, 3, 1, 2, 4, 5])
        #expect(
            explanation.members.map(\.dropped) == [nil, nil, .notAllowed, .denied(rule: 2), .beyondMaximum, .noAddress])
        #expect(explanation.members.map(\.rule) == [0, nil, nil, nil, nil, nil])
        #expect(abs((explanation.members[0].metres ?? 0) - 1_111_951) < 1)
        #expect(!explanation.isRefused && explanation.relaxation == .none)

        let pinned = SteeringKey.all(2, rules: [GeoRule(match: .any, action: .pin, nodes: [1])])
        let pin = Ranking(pinned, nodes: nodes).explanation(for: .at(0))
        #expect(pin.members.map(\.dropped) == [nil, .pinnedElsewhere(rule: 0)])
        let denied = SteeringKey.all(2, rules: [GeoRule(match: .any, action: .deny)])
        #expect(Ranking(denied, nodes: nodes).explanation(for: .at(0)).isRefused)
    }
}
