import Health
import Testing

@Suite struct FleetTests {
    private static let rules = HealthRules(checks: [quickCheck(fall: 1, rise: 1)], slowStartMilliseconds: 0)

    /// Nodes n0… that are up.
    private func fleet(_ count: Int, brake: Brake = noBrake) -> Fleet {
        var fleet = Fleet(brake: brake)
        for index in 0..<count {
            fleet.add("n\(index)", NodeHealth(Self.rules, known: .init(verdict: .up), at: at(0)))
        }
        return fleet
    }

    private func fail(_ id: String, _ fleet: inout Fleet, _ second: Int64 = 1) -> Fleet.Effect? {
        fleet.take(.failed, of: Self.rules.checks[0], of: id, at: at(second))
    }

    @Test("when more nodes than the configured part fail at once, the others are held up, and are down after the hold")
    func brake() {
        var fleet = fleet(10, brake: Brake(percent: 30, holdMilliseconds: 20_000))
        let fallen = (0..<10).filter { fail("n\($0)", &fleet)?.transition?.to == .down }
        #expect(fallen == [0, 1, 2])
        #expect(fleet.held == (3..<10).map { "n\($0)" })
        #expect(fleet.advance(to: at(20)).isEmpty)
        #expect(fleet.advance(to: at(21)).count { $0.transition?.to == .down } == 7)
        #expect(fleet.held.isEmpty)
    }

    @Test("old failures do not count, and one node may always fail")
    func noBrakeInTime() {
        var fleet = fleet(3, brake: tightBrake)
        #expect(fail("n0", &fleet, 1)?.transition?.to == .down)
        #expect(fail("n1", &fleet, 2)?.transition == nil)
        #expect(fail("n2", &fleet, 62)?.transition?.to == .down)
    }

    /// Has a node recover. Damped, it has to pass more often each time.
    private func recover(_ id: String, _ fleet: inout Fleet, _ second: Int64) {
        for _ in 0..<8 { _ = fleet.take(.passed, of: Self.rules.checks[0], of: id, at: at(second)) }
    }

    @Test("a node that fails repeatedly counts once, and a removed one does not count")
    func flapping() throws {
        var fleet = fleet(11, brake: Brake(percent: 30, holdMilliseconds: 60_000))
        for second in [1, 3, 5] as [Int64] {
            #expect(fail("n0", &fleet, second)?.transition?.to == .down)
            recover("n0", &fleet, second + 1)
        }
        #expect(["n1", "n2"].allSatisfy { fail($0, &fleet, 7)?.transition?.to == .down })
        #expect(fail("n3", &fleet, 7)?.transition == nil)
        fleet.remove("n0")
        #expect(fail("n4", &fleet, 8)?.transition?.to == .down)
    }

    @Test("a node that recovers and fails again is believed at once, because it already counts")
    func fallsAgain() {
        var fleet = fleet(10, brake: Brake(percent: 30, holdMilliseconds: 60_000))
        #expect(["n0", "n1", "n2"].allSatisfy { fail($0, &fleet)?.transition?.to == .down })
        recover("n1", &fleet, 2)
        #expect(fail("n1", &fleet, 3)?.transition?.to == .down)
        // Nor does it make room for another one.
        #expect(fail("n3", &fleet, 4)?.transition == nil)
        #expect(fleet.held == ["n3"])
    }

    @Test("the hold starts at a node's last failure")
    func lastFall() {
        var fleet = fleet(10, brake: Brake(percent: 20, holdMilliseconds: 60_000))
        #expect(["n0", "n1"].allSatisfy { fail($0, &fleet, 1)?.transition?.to == .down })
        recover("n1", &fleet, 2)
        #expect(fail("n1", &fleet, 50)?.transition?.to == .down)
        // n0 fell 61 s ago and does not count, n1 12 s ago: one more may fall.
        #expect(fail("n2", &fleet, 62)?.transition?.to == .down)
        #expect(fail("n3", &fleet, 63)?.transition == nil)
    }

    @Test("a held node that answers again was never down")
    func recovery() {
        var fleet = fleet(2, brake: tightBrake)
        _ = fail("n0", &fleet)
        _ = fail("n1", &fleet)
        #expect(fleet.held == ["n1"])
        let effect = fleet.take(.passed, of: Self.rules.checks[0], of: "n1", at: at(2))
        #expect(effect?.transition == nil && fleet.held.isEmpty)
    }

    @Test("the last usable node of any pool is not drained without force")
    func lastOfPool() throws {
        var fleet = fleet(3)
        fleet.use([.init(id: "web", nodes: ["n0", "n1"]), .init(id: "mail", nodes: ["n1", "n2"])])
        let drain = Claim(.person, .drained, author: "ann")
        _ = fail("n0", &fleet)
        #expect(throws: Fleet.LastOfPools(pools: ["web"])) { try fleet.make(drain, of: "n1", force: false, at: at(2)) }
        #expect(fleet.nodes["n1"]?.condition.state == .up)
        #expect(try fleet.make(drain, of: "n0", force: false, at: at(2))?.transition?.to == .drained)
        // That it does not work is no wish, but a fact.
        let down = Claim(.person, .down, author: "ann")
        #expect(try fleet.make(down, of: "n2", force: false, at: at(2))?.transition?.to == .down)
        #expect(throws: Fleet.LastOfPools(pools: ["web", "mail"])) {
            try fleet.make(drain, of: "n1", force: false, at: at(2))
        }
        #expect(try fleet.make(drain, of: "n1", force: true, at: at(2))?.transition?.to == .drained)
    }

    @Test("results of removed checks change nothing")
    func strangers() {
        var fleet = fleet(1)
        #expect(fleet.take(.failed, of: quickCheck(99), of: "n0", at: at(1)) == nil)
        #expect(fail("nobody", &fleet) == nil)
        fleet.remove("n0")
        #expect(fail("n0", &fleet) == nil)
    }
}
