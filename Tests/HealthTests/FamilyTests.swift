import Health
import IPNetworks
import Testing

/// Nodes whose checks ask both addresses.
@Suite("Health per address family") struct FamilyTests {
    private static func check(_ family: IPFamily?, _ port: UInt16 = 80) -> Check {
        Check(
            .tcp(TCPProbe(port: port)), target: family == .v6 ? .v6(1) : .v4(1), family: family,
            intervalMilliseconds: 1_000, timeoutMilliseconds: 500, fall: 2, rise: 2)
    }

    private static let both = HealthRules(
        families: [.v4, .v6], checks: [check(.v4), check(.v6)], slowStartMilliseconds: 0)

    private func node(_ rules: HealthRules = both) -> NodeHealth {
        NodeHealth(rules, known: .init(verdict: .up), at: at(0))
    }

    private func states(_ node: NodeHealth) -> [HealthState] {
        [node.conditions.v4.state, node.conditions.v6.state, node.conditions.any.state]
    }

    private func take(_ node: inout NodeHealth, _ result: CheckResult, _ check: Int, _ second: Int64) -> [Transition] {
        node.take(result, check: check, at: at(second), brake: noBrake, mayFall: true)
    }

    @Test("a failing family goes down alone, and the node stays up as a whole")
    func alone() throws {
        var node = node()
        #expect(take(&node, .failed, 1, 1).isEmpty)
        let change = try #require(take(&node, .failed, 1, 2).first)
        #expect(change.family == .v6 && change.from == .up && change.to == .down && change.cause == .checks)
        #expect(states(node) == [.up, .down, .up])
        #expect(node.verdict == .up)
        _ = take(&node, .passed, 1, 3)
        #expect(take(&node, .passed, 1, 4).first?.family == .v6)
        #expect(states(node) == [.up, .up, .up])
    }

    @Test("claims are about all families, and withdrawing them shows each family's own state")
    func claims() {
        var node = node()
        for second: Int64 in 1...2 { _ = take(&node, .failed, 1, second) }
        let drained = node.make(Claim(.person, .drained, author: "ann"), at: at(3))
        #expect(Set(drained.map(\.family)) == [.v4, .v6] && states(node) == [.drained, .drained, .drained])
        let back = node.withdraw(.person, author: "ann: done", at: at(4))
        #expect(states(node) == [.up, .down, .up])
        #expect(back.map(\.author) == ["ann: done", "ann: done"])
    }

    @Test("families that change alike are one change of the node")
    func alike() {
        var node = node()
        let change = node.make(Claim(.person, .drained, author: "ann"), at: at(1))
        #expect(change.map(\.family) == [nil])
    }

    @Test("a check of one target decides the whole node")
    func oneTarget() {
        let rules = HealthRules(
            families: [.v4, .v6], checks: [Self.check(.v4), Self.check(.v6), Self.check(nil, 81)],
            slowStartMilliseconds: 0)
        var node = node(rules)
        for second: Int64 in 1...2 { _ = take(&node, .failed, 2, second) }
        #expect(states(node) == [.down, .down, .down])
    }

    @Test("without checks of one family there is one state")
    func whole() {
        let rules = HealthRules(families: [.v4, .v6], checks: [Self.check(nil)], slowStartMilliseconds: 0)
        #expect(node(rules).families.map(\.family) == [nil])
    }

    @Test(
        "a result that this host could not ask for changes nothing, and a family that it cannot ask follows the other")
    func unasked() {
        var node = node()
        for second: Int64 in 1...9 {
            #expect(take(&node, .unasked, 0, second).isEmpty && take(&node, .unasked, 1, second).isEmpty)
        }
        #expect(states(node) == [.up, .up, .up])
        _ = take(&node, .failed, 0, 10)
        #expect(take(&node, .failed, 0, 11).map(\.family) == [nil])
        #expect(states(node) == [.down, .down, .down])
        // Asked again, it speaks for itself.
        for second: Int64 in 12...13 { _ = take(&node, .passed, 1, second) }
        #expect(states(node) == [.down, .up, .up])
    }

    @Test("a family without any result follows the other one")
    func neverAsked() {
        var node = NodeHealth(Self.both, at: at(0))
        _ = take(&node, .unasked, 1, 1)
        _ = take(&node, .passed, 0, 1)
        #expect(states(node) == [.up, .up, .up])
    }

    @Test("new families begin as the node was")
    func divided() {
        var node = node(HealthRules(families: [.v4, .v6], checks: [Self.check(nil)], slowStartMilliseconds: 0))
        for second: Int64 in 1...2 { _ = take(&node, .failed, 0, second) }
        #expect(node.use(Self.both, at: at(3)).isEmpty)
        #expect(states(node) == [.down, .down, .down])
        #expect(node.families.map(\.family) == [.v4, .v6])
    }

    // MARK: - Fleets

    private func fleet(_ count: Int, _ brake: Brake = tightBrake) -> Fleet {
        var fleet = Fleet(brake: brake)
        for index in 0..<count { fleet.add("n\(index)", node()) }
        fleet.use([Fleet.Pool(id: "web", nodes: (0..<count).map { "n\($0)" })])
        return fleet
    }

    private func fail(
        _ fleet: inout Fleet, _ id: String, _ family: IPFamily, _ second: Int64, _ result: CheckResult = .failed
    ) {
        for _ in 0..<2 { _ = fleet.take(result, of: Self.check(family), of: id, at: at(second)) }
    }

    @Test("mass-failure protection counts each family by itself")
    func brake() {
        var fleet = fleet(4)
        fail(&fleet, "n0", .v6, 1)
        fail(&fleet, "n1", .v6, 2)
        #expect(fleet.held == ["n1"])
        // The first failure over IPv4 is believed.
        fail(&fleet, "n2", .v4, 3)
        #expect(fleet.held == ["n1"] && fleet.nodes["n2"]?.conditions.v4.state == .down)
        #expect(fleet.nodes["n1"]?.health(of: .v6).isHeld == true && fleet.nodes["n1"]?.health(of: .v4).isHeld == false)
    }

    @Test("a refused connection is believed at once")
    func refused() {
        var fleet = fleet(4)
        fail(&fleet, "n0", .v4, 1)
        fail(&fleet, "n1", .v4, 2, .refused)
        #expect(fleet.held.isEmpty && fleet.nodes["n1"]?.conditions.v4.state == .down)
        // A refusal before, and now silence: it is doubted.
        _ = fleet.take(.refused, of: Self.check(.v4), of: "n2", at: at(3))
        _ = fleet.take(.failed, of: Self.check(.v4), of: "n2", at: at(4))
        #expect(fleet.held == ["n2"])
    }

    @Test("the last usable node of a family is refused, and named with the family")
    func last() {
        var fleet = fleet(2, noBrake)
        fail(&fleet, "n0", .v6, 1)
        let drain = Claim(.person, .drained, author: "ann")
        #expect(throws: Fleet.LastOfPools(pools: ["web (IPv6)"])) {
            try fleet.make(drain, of: "n1", force: false, at: at(2))
        }
        #expect(throws: Never.self) { try fleet.make(drain, of: "n0", force: false, at: at(2)) }
        #expect(throws: Fleet.LastOfPools(pools: ["web"])) {
            try fleet.make(drain, of: "n1", force: false, at: at(3))
        }
    }

    @Test("a pool that no name uses may lose its last node")
    func unserved() {
        var fleet = fleet(2, noBrake)
        fleet.use([Fleet.Pool(id: "spare", nodes: ["n0", "n1"], isServed: false)])
        let drain = Claim(.person, .drained, author: "ann")
        #expect(throws: Never.self) { try fleet.make(drain, of: ["n0", "n1"], force: false, at: at(2)) }
    }

    @Test("a pool is lost over a family once all its nodes are judged and none is usable")
    func lost() {
        var fleet = Fleet(brake: noBrake)
        fleet.add("n0", NodeHealth(Self.both, at: at(0)))
        fleet.add("n1", NodeHealth(Self.both, at: at(0)))
        let pool = Fleet.Pool(id: "web", nodes: ["n0", "n1"])
        fleet.use([pool])
        #expect(fleet.lost(in: pool).isEmpty)
        fail(&fleet, "n0", .v6, 1)
        #expect(fleet.lost(in: pool).isEmpty, "the other one is not judged yet")
        fail(&fleet, "n1", .v6, 2)
        #expect(fleet.lost(in: pool) == [.v6])
        #expect(fleet.lost(in: Fleet.Pool(id: "web", nodes: ["n0"], isServed: false)).isEmpty)
    }

    @Test("a node that is answered by its name alone keeps a pool over both families")
    func named() {
        var fleet = fleet(1, noBrake)
        let provider = HealthRules(checks: [Self.check(nil)], slowStartMilliseconds: 0)
        fleet.add("cdn", NodeHealth(provider, known: .init(verdict: .up), at: at(0)))
        let pool = Fleet.Pool(id: "web", nodes: ["n0", "cdn"])
        fleet.use([pool])
        fail(&fleet, "n0", .v6, 1)
        #expect(fleet.lost(in: pool).isEmpty && fleet.usable(in: pool, over: .v6) == 1)
        let drain = Claim(.person, .drained, author: "ann")
        #expect(throws: Fleet.LastOfPools(pools: ["web (IPv6)"])) {
            try fleet.make(drain, of: "cdn", force: false, at: at(2))
        }
        #expect(throws: Never.self) { try fleet.make(drain, of: "n0", force: false, at: at(2)) }
        #expect(throws: Fleet.LastOfPools(pools: ["web"])) { try fleet.make(drain, of: "cdn", force: false, at: at(3)) }
    }
}
