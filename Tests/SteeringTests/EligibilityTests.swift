import CFastPathABI
import IPNetworks
import Location
import Steering
import Testing

@Suite("Eligibility")
struct EligibilityTests {
    /// Nodes a, b, c, d at 10°, 20°, 30°, 40°; the client at 0°.
    private static let nodes = SteeringNode.row([10, 20, 30, 40])

    private static let place = Place.at(
        0, country: "DE", region: "BY", continent: "EU",
        labels: ["asn:64500", "cidr:192.0.2.0/24", "cidr:192.0.2.128/25", "gold"])

    private static let net24 = GeoRule.Match.label("cidr:192.0.2.0/24", specificity: 26)

    private func candidates(_ rules: [GeoRule], maximum: Int? = nil, at place: Place = place) -> String {
        let key = SteeringKey.all(4, maximumKilometres: maximum, rules: rules)
        return Ranking(key, nodes: Self.nodes).order(for: place, limit: 4).map { Self.nodes[$0.node].id }.joined()
    }

    @Test("a rule for a prefix matches as a rule for its label")
    func prefixLabel() throws {
        #expect(GeoRule.Match.prefix(try #require(IPPrefix("192.0.2.0/24"))) == Self.net24)
    }

    /// From the most specific.
    private static let matches: [GeoRule.Match] = [
        .label("cidr:192.0.2.128/25", specificity: 27), net24, .word("gold"), .asn(64500),
        .region(country: "DE", "BY"), .country("DE"), .continent("EU"), .any,
    ]

    @Test("the more specific of two rules decides, in any order", arguments: 0..<7)
    func specificity(index: Int) {
        let (winner, loser) = (Self.matches[index], Self.matches[index + 1])
        let deny = GeoRule(match: winner, action: .deny, nodes: [0])
        let allow = GeoRule(match: loser, action: .allow, nodes: [0])
        #expect(candidates([deny, allow]) == "bcd")
        #expect(candidates([allow, deny]) == "bcd")
        let allowNear = GeoRule(match: winner, action: .allow, nodes: [0])
        let denyFar = GeoRule(match: loser, action: .deny, nodes: [0])
        #expect(candidates([denyFar, allowNear]) == "abcd")
    }

    @Test(
        "a rule for another location has no effect",
        arguments: [
            .label("cidr:198.51.100.0/24", specificity: 26), .word("silver"), .asn(64501),
            .region(country: "AT", "BY"), .region(country: "DE", "BE"), .country("FR"), .continent("NA"),
        ] as [GeoRule.Match])
    func elsewhere(match: GeoRule.Match) {
        #expect(candidates([GeoRule(match: match, action: .deny)]) == "abcd")
        #expect(candidates([GeoRule(match: match, action: .pin, nodes: [3])]) == "abcd")
        #expect(candidates([GeoRule(match: match, action: .allow, nodes: [0, 1])]) == "cd")
    }

    @Test("nodes that a rule allows serve no other clients")
    func allow() {
        #expect(candidates([GeoRule(match: .country("DE"), action: .allow, nodes: [2])]) == "abcd")
        #expect(candidates([GeoRule(match: .country("FR"), action: .allow, nodes: [0])]) == "bcd")
    }

    @Test("a pin leaves its own nodes, and those that a more specific rule allows")
    func pin() {
        let pin = GeoRule(match: .country("DE"), action: .pin, nodes: [2, 3])
        #expect(candidates([pin]) == "cd")
        #expect(candidates([pin, GeoRule(match: .word("gold"), action: .allow, nodes: [0])]) == "acd")
        #expect(candidates([pin, GeoRule(match: .continent("EU"), action: .allow, nodes: [0])]) == "cd")
        #expect(candidates([pin, GeoRule(match: .word("gold"), action: .deny, nodes: [2])]) == "d")
        #expect(candidates([pin, GeoRule(match: .region(country: "DE", "BY"), action: .pin, nodes: [1])]) == "b")
    }

    @Test("between equally specific rules a denial wins, and pins are combined")
    func equals() {
        let pins = [0, 3].map { GeoRule(match: .country("DE"), action: .pin, nodes: [$0]) }
        #expect(candidates(pins) == "ad")
        #expect(candidates(pins.reversed()) == "ad")
        #expect(candidates(pins + [GeoRule(match: .country("DE"), action: .deny, nodes: [0])]) == "d")
    }

    @Test("nodes beyond the maximum distance are candidates only if no other is left")
    func maximum() {
        // A degree is 111 km.
        #expect(candidates([], maximum: 2300) == "ab")
        #expect(candidates([], maximum: 1000) == "abcd")
        #expect(candidates([GeoRule(match: .country("DE"), action: .pin, nodes: [2, 3])], maximum: 2300) == "cd")
    }

    @Test("if no node is left, the distance filter is dropped first, then geography, and never a denial")
    func relaxation() {
        let elsewhere = GeoRule(match: .country("FR"), action: .allow)
        let key = SteeringKey.all(4, maximumKilometres: 1000, rules: [elsewhere])
        let ranking = Ranking(key, nodes: Self.nodes)
        #expect(ranking.explanation(for: Self.place).relaxation == .both)
        #expect(ranking.explanation(for: .at(5, country: "DE")).relaxation == .geography)
        #expect(ranking.explanation(for: .at(0, country: "FR")).relaxation == .distance)
        #expect(ranking.explanation(for: .at(5, country: "FR")).relaxation == .none)

        let deny = GeoRule(match: .country("DE"), action: .deny, nodes: [0, 1])
        #expect(candidates([elsewhere, deny], maximum: 1000) == "cd")
        #expect(candidates([GeoRule(match: .country("DE"), action: .deny)]) == "")
    }

    @Test("a client that is denied every member is refused on both paths, with any all-down rule")
    func refused() throws {
        let key = SteeringKey.all(4, rules: [GeoRule(match: .country("DE"), action: .deny)])
        let sample = try Sample(Self.nodes, [Self.place, .at(0)], key)
        let refusal = sample.select()
        #expect(refusal.slots.isEmpty && refusal.isDenied && !refusal.isAllDown)
        #expect(sample.fastPath() == nil)
        #expect(sample.choose(place: 2) == ["a"])
        #expect(sample.fastPath(place: 2) == [0])
        // Also when the whole pool is down, and the census would be zero.
        for slot in 0..<4 { sample.set(slot, NC_NODE_DOWN) }
        #expect(sample.fastPath() == nil)
        #expect(sample.select().isDenied)
        #expect(sample.choose(place: 2) == ["a"])
    }

    @Test("only rules for any location apply to clients at an unknown location")
    func unknownPlace() {
        let rules = [
            GeoRule(match: .country("DE"), action: .pin, nodes: [3]), GeoRule(match: .any, action: .deny, nodes: [0]),
        ]
        #expect(candidates(rules, at: .unknown) == "bcd")
    }

    @Test("nodes excluded by rules or distance do not answer when candidates are down")
    func backstop() throws {
        let nodes = (0..<30).map { SteeringNode.at(Double($0), id: "n\($0)", slot: $0) }
        let key = SteeringKey.all(
            30, maximumKilometres: 2300, rules: [GeoRule(match: .any, action: .deny, nodes: [10, 11])])
        let sample = try Sample(nodes, [.at(0)], key)
        var usable = Set(0..<30)
        // 2300 km are 20.7 degrees.
        let candidates = (0...20).filter { $0 != 10 && $0 != 11 }
        while !usable.isDisjoint(with: candidates) {
            let slots = sample.select().slots
            #expect(slots.allSatisfy { candidates.contains($0) && usable.contains($0) } && slots.count == 1)
            if let local = sample.fastPath() { #expect(local == slots) }
            for slot in slots {
                sample.set(slot, NC_NODE_DOWN)
                usable.remove(slot)
            }
        }
        #expect(sample.select().isAllDown)
    }
}
