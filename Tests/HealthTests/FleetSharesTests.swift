import Health
import Testing

@Suite("Shares of load and region together") struct FleetSharesTests {
    private static let check = quickCheck(fall: 1, rise: 1)
    private static let load = LoadRules(shedAbove: 90, backBelow: 70, step: 26, settleMilliseconds: 10_000)

    /// Nodes n0… that are up, in one region.
    private func fleet(
        _ count: Int, threshold: Int = 100, slowStart: Int64 = 0, capacity: (Int) -> Double = { _ in 1 }
    ) -> Fleet {
        var fleet = Fleet(brake: noBrake)
        let rules = HealthRules(checks: [Self.check], slowStartMilliseconds: slowStart, load: Self.load)
        for index in 0..<count {
            fleet.add("n\(index)", NodeHealth(rules, known: .init(verdict: .up), at: at(0)))
        }
        let members = (0..<count).map { Region.Member(node: "n\($0)", capacity: capacity($0)) }
        fleet.use([Region(id: "europe", members: members, threshold: threshold)])
        #expect(fleet.advance(to: at(0)).isEmpty)
        return fleet
    }

    private func result(_ passed: Bool, _ id: String, _ fleet: inout Fleet, _ second: Int64) {
        _ = fleet.take(passed ? .passed : .failed, of: Self.check, of: id, at: at(second))
    }

    private func condition(_ id: String, _ fleet: Fleet) -> NodeCondition {
        fleet.nodes[id]?.condition ?? NodeCondition(state: .unknown, share: 0, ttl: 0)
    }

    @Test(
        "a region keeps the clients that its healthy capacity can carry, in equal parts on all nodes",
        arguments: [(100, 1, 192), (75, 1, 256), (80, 1, 240), (100, 2, 128), (75, 3, 85), (50, 3, 128)])
    func region(threshold: Int, failed: Int, share: Int) {
        var fleet = fleet(4, threshold: threshold)
        for index in 0..<failed { result(false, "n\(index)", &fleet, 1) }
        let effects = fleet.advance(to: at(1))
        for index in failed..<4 {
            #expect(condition("n\(index)", fleet).share == share)
            #expect(condition("n\(index)", fleet).state == (share < 256 ? .degraded : .up))
        }
        #expect(effects.count == (share < 256 ? 4 - failed : 0))
        #expect(effects.allSatisfy { $0.transition?.cause == .region && $0.transition?.to == .degraded })
        #expect(fleet.region(of: "n3")?.standing.healthy == Double(4 - failed) / 4)
    }

    @Test("the loss of a node with a large capacity counts more")
    func capacities() {
        var fleet = fleet(3) { $0 == 0 ? 2 : 1 }
        result(false, "n0", &fleet, 1)
        _ = fleet.advance(to: at(1))
        #expect(condition("n1", fleet).share == 128)
        result(true, "n0", &fleet, 2)
        result(false, "n1", &fleet, 2)
        _ = fleet.advance(to: at(2))
        #expect(condition("n0", fleet).share == 192)
    }

    @Test("a region recovers with the share of its node, and reports when it is whole")
    func recovery() {
        var fleet = fleet(2, slowStart: 60_000)
        result(false, "n0", &fleet, 1)
        _ = fleet.advance(to: at(1))
        #expect(condition("n1", fleet) == NodeCondition(state: .degraded, share: 128, ttl: NodeCondition.stable))
        result(true, "n0", &fleet, 10)
        var shares: [Int] = []
        var told: [Transition] = []
        for second in Int64(10)...70 {
            told += fleet.advance(to: at(second)).filter { $0.node == "n1" }.compactMap(\.transition)
            shares.append(condition("n1", fleet).share)
        }
        #expect(shares.first == 128 && shares.last == 256)
        #expect(zip(shares, shares.dropFirst()).allSatisfy { $0 <= $1 && $1 - $0 <= 4 })
        #expect(told.map(\.cause) == [.region] && told.map(\.to) == [.up])
    }

    @Test("while a node of the region recovers, TTLs of the others end with the recovery")
    func ttl() {
        var fleet = fleet(2, slowStart: 60_000)
        result(false, "n0", &fleet, 1)
        result(true, "n0", &fleet, 10)
        _ = fleet.advance(to: at(30))
        #expect(condition("n1", fleet).ttl == 40)
    }

    @Test("unknown nodes do not count as a failure")
    func unknown() {
        var fleet = Fleet(brake: noBrake)
        let rules = HealthRules(checks: [Self.check], slowStartMilliseconds: 0)
        for index in 0..<3 { fleet.add("n\(index)", NodeHealth(rules, at: at(0))) }
        fleet.use([Region(id: "r", members: (0..<3).map { .init(node: "n\($0)") }, threshold: 100)])
        result(true, "n0", &fleet, 1)
        _ = fleet.advance(to: at(1))
        #expect(condition("n0", fleet) == NodeCondition(state: .up, share: 256, ttl: NodeCondition.stable))
    }

    @Test("the share is the product of ramp, load and region, and the state is degraded")
    func product() {
        var fleet = fleet(2, slowStart: 60_000)
        result(false, "n0", &fleet, 1)
        // Region: a half. Load: 220 % of the capacity, so that it sheds.
        for second in Int64(1)...12 {
            LoadSample(load: 220, capacity: 100, at: at(second)).map { fleet.take($0, of: "n1") }
            _ = fleet.advance(to: at(second))
        }
        #expect(fleet.nodes["n1"]?.limits == ShareLimits(load: 230, region: 128, ttl: 10))
        #expect(condition("n1", fleet) == NodeCondition(state: .degraded, share: 115, ttl: 10))
        result(false, "n1", &fleet, 13)
        _ = fleet.advance(to: at(13))
        #expect(condition("n1", fleet).state == .down && condition("n1", fleet).share == 0)
        result(true, "n1", &fleet, 20)
        _ = fleet.advance(to: at(50))
        // Half of the ramp; the region has half of its half.
        #expect(fleet.nodes["n1"]?.base.share == 128)
        #expect(condition("n1", fleet).share == 128 * 230 * 64 / 65_536)
    }

    @Test("an override by a person is not lowered, and load is ignored meanwhile")
    func person() throws {
        var fleet = fleet(2)
        result(false, "n0", &fleet, 1)
        _ = fleet.advance(to: at(1))
        _ = try fleet.make(Claim(.person, .up, author: "ann"), of: "n1", force: false, at: at(2))
        for second in Int64(2)...100 {
            LoadSample(load: 220, capacity: 100, at: at(second)).map { fleet.take($0, of: "n1") }
            #expect(fleet.advance(to: at(second)).isEmpty)
        }
        #expect(condition("n1", fleet) == NodeCondition(state: .up, share: 256, ttl: NodeCondition.stable))
        #expect(fleet.nodes["n1"]?.limits.load == 256)
        _ = fleet.withdraw(.person, of: "n1", at: at(101))
        #expect(condition("n1", fleet).share == 128)
    }

    @Test("a restart keeps the share, from every cause", arguments: [1, 2, 77, 128, 200, 255])
    func restart(share: Int) {
        var fleet = Fleet(brake: noBrake)
        let rules = HealthRules(checks: [Self.check], load: Self.load)
        for (id, known) in [
            ("n0", NodeHealth.Known(verdict: .up, limit: share)), ("n1", .init(verdict: .down)),
            ("n2", .init(verdict: .up, limit: share)),
        ] { fleet.add(id, NodeHealth(rules, known: known, at: at(0))) }
        let before = condition("n0", fleet)
        #expect(before.state == .degraded && before.share == share)
        // A region with half of its capacity leaves a half at most, and the load has already taken more.
        fleet.use([Region(id: "r", members: [.init(node: "n0"), .init(node: "n1")], threshold: 100)])
        for second in Int64(0)...500 { #expect(fleet.advance(to: at(second)).allSatisfy { $0.transition == nil }) }
        #expect(condition("n0", fleet).share == min(share, 128))
        #expect(condition("n2", fleet).share == share)
    }

    @Test("without rules for the load it changes nothing")
    func noRules() {
        var fleet = Fleet(brake: noBrake)
        fleet.add("n0", NodeHealth(HealthRules(), at: at(0)))
        for second in Int64(1)...100 {
            LoadSample(load: 220, capacity: 100, at: at(second)).map { fleet.take($0, of: "n0") }
            #expect(fleet.advance(to: at(second)).isEmpty)
        }
        #expect(fleet.loads.isEmpty)
    }

    @Test("nodes of a removed region have the whole share")
    func removal() {
        var fleet = fleet(2)
        result(false, "n0", &fleet, 1)
        _ = fleet.advance(to: at(1))
        fleet.use([Region]())
        let effects = fleet.advance(to: at(2))
        #expect(effects.compactMap(\.transition).map(\.to) == [.up])
        #expect(condition("n1", fleet).share == 256)
    }

    @Test("in random sequences a share is never 0 and never more than the whole")
    func bounds() {
        var numbers = SeededNumbers(9)
        for _ in 0..<50 {
            var fleet = fleet(6, threshold: .random(in: 1...100, using: &numbers), slowStart: 30_000) { Double($0 + 1) }
            var second: Int64 = 0
            for _ in 0..<300 {
                second += .random(in: 0...20, using: &numbers)
                let id = "n\(Int.random(in: 0..<6, using: &numbers))"
                switch Int.random(in: 0..<4, using: &numbers) {
                case 0: result(Bool.random(using: &numbers), id, &fleet, second)
                case 1, 2:
                    let load = Double.random(in: 0...500, using: &numbers)
                    LoadSample(load: load, capacity: 100, at: at(second)).map { fleet.take($0, of: id) }
                default: _ = fleet.advance(to: at(second))
                }
                for node in fleet.nodes.values {
                    #expect((node.condition.share > 0) == node.condition.state.isUsable)
                    #expect(node.condition.share <= 256 && node.condition.ttl >= 1)
                    #expect((node.condition.state == .degraded) == (node.base.state == .up && !node.limits.isWhole))
                }
            }
        }
    }
}
