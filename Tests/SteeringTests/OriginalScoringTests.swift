import Glibc
import IPNetworks
import Location
import Steering
import Testing

/// The four original strategies against their formulas, evaluated with the C library.
@Suite("Original scoring")
struct OriginalScoringTests {
    private static let regions: [(country: String?, region: String?)] = [
        ("DE", "BY"), ("DE", "BE"), ("DE", nil), ("AT", "BY"), (nil, nil),
    ]

    /// Great-circle kilometres by the haversine formula.
    private static func kilometres(_ a: Coordinates, _ b: Coordinates) -> Double {
        let (la, lb) = (Double(a.latitude) / 1e6 * .pi / 180, Double(b.latitude) / 1e6 * .pi / 180)
        let half = (Double(b.longitude) - Double(a.longitude)) / 1e6 * .pi / 360
        let h = pow(sin((lb - la) / 2), 2) + cos(la) * cos(lb) * pow(sin(half), 2)
        return 2 * GreatCircle.radius / 1000 * asin(min(1, sqrt(h)))
    }

    private static func formula(
        _ strategy: Strategy, _ scoring: OriginalScoring, _ node: SteeringNode, _ place: Place, maximum: Int?
    ) -> Double {
        guard node.isLocated, let coordinates = place.coordinates else { return 0.01 }
        let d = kilometres(coordinates, node.coordinates)
        if let maximum, d > Double(maximum) { return 0 }
        let x = 1 - min(d / 20000, 1)
        let proximity: Double =
            switch strategy {
            case .linear: x
            case .quadratic: x * x
            case .logarithmic: d < 1 ? 1 : 1 - min(max(log(d) / 10, 0), 1)
            default: d < 100 ? 1 : d < 500 ? 0.8 : d < 2000 ? 0.6 : d < 5000 ? 0.4 : 0.2
            }
        let f = Double(scoring.biasThousandths) / 1000
        var bonus = 0.0
        if scoring.sameRegionPreference, let country = place.country, country == node.country {
            bonus = place.region != nil && place.region == node.region ? f : 0.5 * f
        }
        return min(1, proximity * (1 - f) + bonus)
    }

    private static func nodes(_ numbers: inout Numbers, near place: Place) -> [SteeringNode] {
        let centre = place.coordinates ?? Coordinates(latitude: 0, longitude: 0)
        return (0..<60).map { index in
            var coordinates = numbers.coordinates()
            // Every third within reach of the first steps.
            if index % 3 == 0 {
                let reach: Int32 = index % 2 == 0 ? 20_000 : 6_000_000
                coordinates = Coordinates(
                    latitude: min(
                        max(centre.latitude + .random(in: -reach...reach, using: &numbers), -90_000_000), 90_000_000),
                    longitude: min(
                        max(centre.longitude + .random(in: -reach...reach, using: &numbers), -180_000_000), 180_000_000)
                )
            }
            let home = regions[Int.random(in: 0..<regions.count, using: &numbers)]
            return SteeringNode(
                id: "n\(index)", slot: index, addresses: [.v4(1)], coordinates: coordinates,
                isLocated: index % 17 != 5, country: home.country, region: home.region)
        }
    }

    /// How far scores may be off because points are rounded to some millimetres.
    private static func slack(_ node: SteeringNode, _ place: Place) -> Double {
        guard let coordinates = place.coordinates, node.isLocated else { return 1e-12 }
        return 1e-9 + 2e-6 / max(kilometres(coordinates, node.coordinates), 0.5)
    }

    /// Whether the distance is where rounding decides about a step.
    private static func isAtStep(_ node: SteeringNode, _ place: Place, maximum: Int?) -> Bool {
        guard let coordinates = place.coordinates else { return false }
        let d = kilometres(coordinates, node.coordinates)
        return ([100, 500, 2000, 5000] + (maximum.map { [Double($0)] } ?? [])).contains { abs(d - $0) < 1e-4 }
    }

    @Test(
        "the order is that of the formulas, and equal scores share a band",
        arguments: [Strategy.linear, .quadratic, .logarithmic, .stepped],
        [
            OriginalScoring(), OriginalScoring(sameRegionPreference: false),
            OriginalScoring(sameRegionPreference: false, biasThousandths: 0), OriginalScoring(biasThousandths: 0),
            OriginalScoring(biasThousandths: 137), OriginalScoring(biasThousandths: 1000),
        ])
    func order(strategy: Strategy, scoring: OriginalScoring) {
        var numbers = Numbers(42)
        for round in 0..<60 {
            let home = Self.regions[round % Self.regions.count]
            let place = Place(coordinates: numbers.coordinates(), country: home.country, region: home.region)
            let nodes = Self.nodes(&numbers, near: place)
            let maximum = round % 3 == 0 ? 4000 : nil
            let key = SteeringKey.all(
                nodes.count, strategy: strategy, scoring: scoring, maximumKilometres: maximum)
            let order = Ranking(key, nodes: nodes).order(for: place, limit: nodes.count)
            #expect(Set(order.map(\.node)).count == nodes.count)
            let scores = order.map { Self.formula(strategy, scoring, nodes[$0.node], place, maximum: maximum) }
            for index in 1..<order.count {
                let (left, right) = (order[index - 1], order[index])
                guard !Self.isAtStep(nodes[left.node], place, maximum: maximum),
                    !Self.isAtStep(nodes[right.node], place, maximum: maximum)
                else { continue }
                let slack = Self.slack(nodes[left.node], place) + Self.slack(nodes[right.node], place)
                let difference = scores[index - 1] - scores[index]
                if left.band == right.band {
                    #expect(abs(difference) < slack)
                } else {
                    #expect(difference > (strategy == .stepped ? 1e-9 : -slack))
                }
            }
        }
    }

    @Test("scores are the formulas', to 1e-9", arguments: [Strategy.linear, .quadratic, .logarithmic, .stepped])
    func scores(strategy: Strategy) throws {
        var numbers = Numbers(7)
        for _ in 0..<40 {
            let place = Place(coordinates: numbers.coordinates(), country: "DE", region: "BY")
            let nodes = Self.nodes(&numbers, near: place)
            let key = SteeringKey.all(nodes.count, strategy: strategy)
            for report in Ranking(key, nodes: nodes).explanation(for: place).members
            where !Self.isAtStep(nodes[report.member.node], place, maximum: nil) {
                let score = try #require(report.score)
                let expected = Self.formula(
                    strategy, OriginalScoring(), nodes[report.member.node], place, maximum: nil)
                #expect(abs(score - expected) < Self.slack(nodes[report.member.node], place))
            }
        }
    }

    @Test("scores are the same on every machine")
    func vectors() throws {
        let nodes = SteeringNode.row([0.005, 0.5, 3, 30, 170])
        let place = Place.at(0)
        func bits(_ strategy: Strategy) -> [UInt64] {
            let scoring = OriginalScoring(sameRegionPreference: false)
            let key = SteeringKey.all(nodes.count, strategy: strategy, scoring: scoring)
            return Ranking(key, nodes: nodes).explanation(for: place).members.compactMap { $0.score?.bitPattern }
        }
        #expect(bits(.linear) == Self.linear)
        #expect(bits(.quadratic) == Self.quadratic)
        #expect(bits(.logarithmic) == Self.logarithmic)
    }

    // Bits of the scores of nodes on the equator, checked against the formulas by an independent program.
    private static let linear: [UInt64] = [
        0x3fc9_996a_f613_1c81, 0x3fc9_8761_bd89_1296, 0x3fc9_2c4a_711e_44ec, 0x3fc5_5482_04a6_129c,
        0x3f86_7694_d7f8_ba58,
    ]
    private static let quadratic: [UInt64] = [
        0x3fc9_993c_52e1_972a, 0x3fc9_7536_d87f_e5cc, 0x3fc8_c0ce_05ac_6e96, 0x3fc1_c5bc_4773_4f9b,
        0x3f43_b5f5_1abb_e588,
    ]
    private static let logarithmic: [UInt64] = [
        0x3fc9_9999_9999_9998, 0x3fbe_a08b_8037_6ce9, 0x3fb5_740c_c8a1_c457, 0x3fa3_5402_de1d_d7d2,
        0x3f69_0dbc_deaf_2dfe,
    ]

    @Test("a member at an unknown location scores 0.01, and one beyond the maximum 0, without bonus")
    func replaced() {
        let nodes = [
            SteeringNode.at(1, id: "near", slot: 0, country: "DE", region: "BY"),
            SteeringNode.at(170, id: "far", slot: 1, country: "DE", region: "BY"),
            SteeringNode(
                id: "lost", slot: 2, addresses: [.v4(1)], coordinates: Coordinates(latitude: 0, longitude: 0),
                isLocated: false, country: "DE", region: "BY"),
        ]
        let key = SteeringKey.all(3, strategy: .linear, maximumKilometres: 5000)
        let place = Place.at(0, country: "DE", region: "BY")
        let members = Ranking(key, nodes: nodes).explanation(for: place).members
        #expect(members.map { nodes[$0.member.node].id } == ["near", "lost", "far"])
        #expect(members.compactMap(\.score).suffix(2) == [0.01, 0])
    }

    @Test("a region of the same name in another country gives no bonus")
    func otherCountry() {
        let nodes = [
            SteeringNode.at(10, id: "a", slot: 0, country: "US", region: "BY"),
            SteeringNode.at(20, id: "b", slot: 1, country: "DE", region: "BY"),
        ]
        let order = Ranking(SteeringKey.all(2, strategy: .linear), nodes: nodes)
            .order(for: .at(0, country: "DE", region: "BY"), limit: 2)
        #expect(order.map(\.node) == [1, 0])
    }

    @Test("the tolerance of near ties is a percentage of the score")
    func tolerance() {
        // Scores without preference, over 20,000 km: 0.9944, 0.9889, 0.9444.
        let nodes = SteeringNode.row([1, 2, 10])
        let scoring = OriginalScoring(sameRegionPreference: false, biasThousandths: 0)
        func bands(_ percent: Int) -> [Int] {
            let key = SteeringKey.all(
                3, tolerance: Tolerance(percent: percent), strategy: .linear, scoring: scoring)
            return Ranking(key, nodes: nodes).order(for: .at(0), limit: 3).map(\.band)
        }
        #expect(bands(0) == [0, 1, 2])
        #expect(bands(1) == [0, 0, 1])
        #expect(bands(10) == [0, 0, 0])
    }
}
