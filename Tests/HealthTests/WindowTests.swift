import Health
import Testing

/// Maintenance that is planned.
@Suite struct WindowTests {
    private static let rules = HealthRules(checks: [quickCheck(fall: 1, rise: 1)], slowStartMilliseconds: 0)

    /// Nodes n0… that are up, in one pool.
    private func fleet(_ count: Int) -> Fleet {
        var fleet = Fleet(brake: noBrake)
        for index in 0..<count {
            fleet.add("n\(index)", NodeHealth(Self.rules, known: .init(verdict: .up), at: at(0)))
        }
        fleet.use([.init(id: "web", nodes: (0..<count).map { "n\($0)" })])
        return fleet
    }

    private func window(
        _ begins: Int64, _ ends: Int64, author: String = "ann", force: Bool = false
    ) -> Claim {
        Claim(.person, .maintenance, begins: at(begins), ends: at(ends), author: author, isForced: force)
    }

    private func state(_ id: String, _ fleet: Fleet) -> HealthState? { fleet.nodes[id]?.condition.state }

    @Test("a window that would empty a pool when it begins is refused, and changes nothing")
    func refused() throws {
        var fleet = fleet(2)
        _ = try fleet.make(window(100, 200), of: "n0", force: false, at: at(0))
        for (begins, ends) in [(100, 200), (150, 300), (50, 101), (0, 1_000)] as [(Int64, Int64)] {
            let before = fleet.nodes["n1"]
            #expect(throws: Fleet.LastOfPools(pools: ["web"])) {
                try fleet.make(window(begins, ends), of: "n1", force: false, at: at(0))
            }
            #expect(fleet.nodes["n1"] == before)
        }
        // One after the other is what maintenance is about.
        #expect(try fleet.make(window(200, 300), of: "n1", force: false, at: at(0)) == nil)
        #expect(try fleet.make(window(0, 100), of: "n1", force: false, at: at(0))?.transition?.to == .maintenance)
    }

    @Test(
        "a window is refused if the other node is drained, but not if it has only failed")
    func besides() throws {
        var drained = fleet(2)
        _ = try drained.make(Claim(.person, .drained, author: "ann"), of: "n0", force: false, at: at(0))
        #expect(throws: Fleet.LastOfPools(pools: ["web"])) {
            try drained.make(window(100, 200), of: "n1", force: false, at: at(0))
        }
        var failing = fleet(2)
        _ = failing.take(.failed, of: Self.rules.checks[0], of: "n0", at: at(0))
        #expect(try failing.make(window(100, 200), of: "n1", force: false, at: at(0)) == nil)
    }

    @Test(
        "a window that would empty a pool waits, is reported, and begins when another node is back"
    )
    func held() throws {
        var fleet = fleet(2)
        _ = try fleet.make(window(100, 200), of: "n1", force: false, at: at(0))
        _ = fleet.take(.failed, of: Self.rules.checks[0], of: "n0", at: at(99))
        #expect(fleet.advance(to: at(100)).isEmpty)
        #expect(state("n1", fleet) == .up)
        #expect(fleet.heldWindows == ["n1"])
        // Results of its checks do not let it in either.
        _ = fleet.take(.passed, of: Self.rules.checks[0], of: "n1", at: at(101))
        #expect(state("n1", fleet) == .up)

        _ = fleet.take(.passed, of: Self.rules.checks[0], of: "n0", at: at(110))
        #expect(fleet.advance(to: at(111)).map(\.transition?.to) == [.maintenance])
        #expect(fleet.heldWindows.isEmpty)
        // A running window continues, even if other nodes fail.
        _ = fleet.take(.failed, of: Self.rules.checks[0], of: "n0", at: at(120))
        #expect(fleet.advance(to: at(130)).isEmpty)
        #expect(state("n1", fleet) == .maintenance)
        #expect(fleet.advance(to: at(200)).map(\.transition?.to) == [.up])
    }

    @Test("a withdrawn window does not begin, and windows of other authorities stay")
    func withdrawn() throws {
        var fleet = fleet(2)
        _ = try fleet.make(window(100, 200), of: "n0", force: false, at: at(0))
        _ = try fleet.make(window(300, 400), of: "n0", force: false, at: at(0))
        let planned = Claim(.automation, .maintenance, begins: at(500), ends: at(600), author: "deploy")
        _ = try fleet.make(planned, of: "n0", force: false, at: at(0))
        #expect(fleet.withdraw(.person, of: "n0", at: at(50)) == nil, "it changes nothing yet")
        #expect(fleet.nodes["n0"]?.claims == [planned])
        for second in [100, 150, 300, 399] as [Int64] {
            #expect(fleet.advance(to: at(second)).isEmpty)
            #expect(state("n0", fleet) == .up)
        }
        #expect(fleet.advance(to: at(500)).map(\.transition?.to) == [.maintenance])
    }

    @Test("a running window ends when it is withdrawn")
    func withdrawnUnderWay() throws {
        var fleet = fleet(2)
        _ = try fleet.make(window(100, 200), of: "n0", force: false, at: at(0))
        #expect(fleet.advance(to: at(100)).map(\.transition?.to) == [.maintenance])
        #expect(fleet.withdraw(.person, of: "n0", at: at(150))?.transition?.to == .up)
        #expect(fleet.advance(to: at(151)).isEmpty)
    }

    @Test("with force a window begins for the last usable node")
    func forced() throws {
        var fleet = fleet(2)
        _ = try fleet.make(window(100, 200), of: "n0", force: false, at: at(0))
        _ = try fleet.make(window(100, 200, force: true), of: "n1", force: true, at: at(0))
        #expect(fleet.advance(to: at(100)).count { $0.transition?.to == .maintenance } == 2)
        #expect(fleet.heldWindows.isEmpty)
    }

    @Test("if two windows would begin at once after a change of plan, one waits")
    func together() throws {
        var fleet = fleet(3)
        // The third makes it right when they are asked for.
        _ = try fleet.make(window(100, 200), of: "n0", force: false, at: at(0))
        _ = try fleet.make(window(100, 200), of: "n1", force: false, at: at(0))
        _ = fleet.take(.failed, of: Self.rules.checks[0], of: "n2", at: at(50))
        #expect(fleet.advance(to: at(100)).map(\.node) == ["n0"])
        #expect(fleet.heldWindows == ["n1"])
        // It ends without having begun.
        #expect(fleet.advance(to: at(200)).map(\.node) == ["n0"])
        #expect(fleet.heldWindows.isEmpty)
    }

    @Test("a waiting window waits after a restart, and a running one continues")
    func restart() {
        let waiting = NodeHealth(Self.rules, known: .init(verdict: .up, claims: [window(0, 100)]), at: at(50))
        #expect(waiting.condition.state == .up)
        let begun = Claim(
            .person, .maintenance, begins: at(0), ends: at(100), author: "ann", isForced: false, hasBegun: true)
        let underWay = NodeHealth(Self.rules, known: .init(verdict: .up, claims: [begun]), at: at(50))
        #expect(underWay.condition.state == .maintenance)
    }

    @Test("adjacent equal windows are merged, and others are kept apart, up to a limit")
    func merged() throws {
        var fleet = fleet(3)
        func ask(_ begins: Int64, _ ends: Int64, _ author: String = "ann") throws {
            _ = try fleet.make(window(begins, ends, author: author), of: "n0", force: false, at: at(0))
        }
        func windows() -> [[Int64]] {
            (fleet.nodes["n0"]?.claims ?? []).map { [$0.begins, $0.ends].map { ($0?.milliseconds ?? 0) / 1_000 } }
        }
        for _ in 0..<100 { try ask(100, 200) }
        try ask(150, 300)
        try ask(120, 130)
        #expect(windows() == [[100, 300]])
        try ask(400, 500)
        #expect(windows() == [[100, 300], [400, 500]])
        // The gap is closed: three become one.
        try ask(250, 450)
        #expect(windows() == [[100, 500]])
        try ask(100, 500, "bob")
        #expect(windows().count == 2)
        for index in 0..<100 as Range<Int64> { try ask(1_000 + 20 * index, 1_010 + 20 * index) }
        #expect(windows().count == NodeHealth.maximumWindows)
        #expect(fleet.nodes["n0"]?.hasRoom(for: window(9_000, 9_100)) == false)
        #expect(fleet.nodes["n0"]?.hasRoom(for: window(100, 200)) == true, "it is part of one that is there")
    }
}

/// Many nodes by one decision.
@Suite struct SetTests {
    private func fleet() -> Fleet {
        var fleet = Fleet(brake: noBrake)
        for index in 0..<6 { fleet.add("n\(index)", NodeHealth(HealthRules(), at: at(0))) }
        fleet.use([.init(id: "a", nodes: ["n0", "n1", "n2"]), .init(id: "b", nodes: ["n2", "n3"])])
        return fleet
    }

    private let drain = Claim(.person, .drained, author: "ann")

    @Test("a request for several nodes that would together empty a pool is refused whole")
    func together() throws {
        var fleet = fleet()
        let before = fleet.nodes
        #expect(throws: Fleet.LastOfPools(pools: ["a"])) {
            try fleet.make(drain, of: ["n0", "n1", "n2"], force: false, at: at(1))
        }
        #expect(throws: Fleet.LastOfPools(pools: ["a", "b"])) {
            try fleet.make(drain, of: ["n0", "n1", "n2", "n3", "n4", "n5"], force: false, at: at(1))
        }
        #expect(fleet.nodes == before)
        let effects = try fleet.make(drain, of: ["n0", "n2", "n4", "n4", "nobody"], force: false, at: at(1))
        #expect(effects.map(\.node) == ["n0", "n2", "n4"])
        #expect(fleet.takeUnkept() == ["n0", "n2", "n4"])
        #expect(fleet.takeUnkept().isEmpty)
    }

    @Test("a pool that is already empty does not block a drain")
    func emptyAlready() throws {
        var fleet = fleet()
        _ = try fleet.make(drain, of: ["n2", "n3"], force: true, at: at(1))
        #expect(try fleet.make(drain, of: ["n2", "n3", "n0"], force: false, at: at(2)).map(\.node) == ["n0"])
    }

    @Test("overrides of all nodes are withdrawn at once")
    func withdrawn() throws {
        var fleet = fleet()
        let ids = fleet.nodes.keys.sorted()
        _ = try fleet.make(drain, of: ids, force: true, at: at(1))
        #expect(fleet.withdraw(.person, of: ids, at: at(2)).map(\.node) == ids)
        #expect(fleet.nodes.values.allSatisfy { $0.condition.state == .up })
    }
}
