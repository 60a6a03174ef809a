import Health
import IPNetworks
import Testing

@Suite struct NodeHealthTests {
    private static let rules = HealthRules(checks: [quickCheck(fall: 3, rise: 2)], slowStartMilliseconds: 0)

    @Test("a node without checks is up, with the whole share and a stable state")
    func unchecked() {
        let node = NodeHealth(HealthRules(), at: at(0))
        #expect(node.condition == NodeCondition(state: .up, share: 256, ttl: NodeCondition.stable))
    }

    @Test(
        "the first result decides at once, later ones count towards thresholds",
        arguments: [
            ("+", HealthState.up), ("-", .down), ("+--", .up), ("+---", .down), ("+--+--", .up), ("-+", .down),
            ("-++", .up), ("-+-+-", .down), ("+---++", .up),
        ])
    func thresholds(results: String, state: HealthState) {
        var node = NodeHealth(Self.rules, at: at(0))
        #expect(node.condition.state == .unknown)
        _ = node.take(results)
        #expect(node.condition.state == state)
    }

    @Test(
        "the TTL counts down to a possible change, and is long again once results agree",
        arguments: [
            ("+", NodeCondition.stable), ("+-", 2), ("+--", 1), ("+---", NodeCondition.stable), ("+-+", 3),
            ("+-++", NodeCondition.stable), ("-", NodeCondition.stable), ("-+", 1), ("-+-", 2),
            ("-+---", NodeCondition.stable),
        ])
    func ttl(results: String, seconds: UInt32) {
        var node = NodeHealth(Self.rules, at: at(0))
        _ = node.take(results)
        #expect(node.condition.ttl == seconds)
    }

    @Test("each flap doubles the required successes, up to eight times, and is forgotten after ten minutes")
    func damping() {
        var node = NodeHealth(Self.rules, at: at(0))
        _ = node.take("+---", from: 0)
        var time: Int64 = 10
        // The first fall came after no recovery.
        for needed in [2, 4, 8, 16, 16] {
            _ = node.take(String(repeating: "+", count: needed - 1), from: time)
            #expect(node.condition.state == .down, "\(needed)")
            _ = node.take("+", from: time + Int64(needed))
            #expect(node.condition.state == .up, "\(needed)")
            _ = node.take("---", from: time + Int64(needed) + 1)
            #expect(node.condition.state == .down, "\(needed)")
            time += 30
        }
        _ = node.take("++", from: time + 601)
        #expect(node.condition.state == .up)
    }

    @Test("after a recovery the share grows to the whole, starting from the share that it had")
    func slowStart() {
        let rules = HealthRules(checks: [quickCheck()], slowStartMilliseconds: 64_000)
        var node = NodeHealth(rules, at: at(0))
        _ = node.take("--++")
        #expect(node.condition.share == 1)
        #expect(node.condition.ttl == 64)
        let start = node.fullShareAt
        #expect(start != nil)
        var shares: [Int] = []
        for second: Int64 in [4, 19, 35, 66, 67] {
            #expect(node.isInMotion)
            _ = node.advance(to: at(second), brake: Brake(), mayFall: true)
            shares.append(node.condition.share)
        }
        #expect(shares == [4, 64, 128, 252, 256])
        #expect(!node.isInMotion)
        #expect(start == at(67) && node.fullShareAt == nil)
        #expect(node.condition.ttl == NodeCondition.stable)

        var restarted = NodeHealth(rules, known: .init(verdict: .up, share: 128), at: at(0))
        #expect(restarted.condition.share == 128)
        _ = restarted.advance(to: at(16), brake: Brake(), mayFall: true)
        #expect(restarted.condition.share == 192)
    }

    @Test("the first verdict and an override by a person give the whole share at once")
    func noSlowStart() {
        var node = NodeHealth(HealthRules(checks: [quickCheck()]), at: at(0))
        _ = node.take("+")
        #expect(node.condition.share == 256)
        _ = node.take("---", from: 1)
        _ = node.make(Claim(.person, .up, author: "ann"), at: at(9))
        #expect(node.condition.share == 256)
    }

    @Test("higher authorities override lower ones, whose state returns when they withdraw")
    func authorities() {
        var node = NodeHealth(Self.rules, at: at(0))
        _ = node.make(Claim(.report, .degraded, share: 64, author: "itself"), at: at(0))
        #expect(node.condition == NodeCondition(state: .degraded, share: 64, ttl: NodeCondition.stable))
        _ = node.take("+")
        #expect(node.authority == .checks && node.condition.state == .up)
        _ = node.make(Claim(.external, .down, author: "far"), at: at(2))
        #expect(node.condition.state == .down)
        _ = node.make(Claim(.automation, .up, author: "robot"), at: at(3))
        #expect(node.condition.state == .up)
        let change = node.make(Claim(.person, .drained, author: "ann: disks"), at: at(4)).first
        #expect(change?.author == "ann: disks" && change?.cause == .claim)
        _ = node.take("---", from: 5)
        #expect(node.condition.state == .drained)
        _ = node.withdraw(.person, at: at(9))
        #expect(node.authority == .automation && node.condition.state == .up)
        _ = node.withdraw(.automation, at: at(9))
        #expect(node.authority == .external && node.condition.state == .down)
        let last = node.withdraw(.external, at: at(9))
        #expect(last.isEmpty && node.authority == .checks && node.condition.state == .down)
    }

    @Test("a forced state expires, and a window begins and ends")
    func schedule() {
        var node = NodeHealth(HealthRules(), at: at(0))
        _ = node.make(Claim(.person, .maintenance, begins: at(10), ends: at(20), author: "ann: disks"), at: at(0))
        #expect(node.condition.state == .up)
        func state(_ second: Int64) -> HealthState {
            _ = node.advance(to: at(second), brake: Brake(), mayFall: true)
            return node.condition.state
        }
        #expect(state(9) == .up)
        #expect(state(10) == .maintenance)
        // A word without a beginning is above the window, of the same authority.
        _ = node.make(Claim(.person, .up, ends: at(15), author: "ann"), at: at(12))
        #expect(state(14) == .up)
        #expect(state(15) == .maintenance)
        #expect(state(20) == .up)
        #expect(!node.isInMotion && node.claims.isEmpty)
    }

    @Test("new checks alone change no state, and checks that stay keep their results")
    func otherRules() {
        var node = NodeHealth(HealthRules(), at: at(0))
        #expect(node.use(Self.rules, at: at(1)).isEmpty)
        #expect(node.condition.state == .up)
        _ = node.take("--", from: 2)
        let both = HealthRules(checks: [quickCheck(8080), Self.rules.checks[0]], slowStartMilliseconds: 0)
        #expect(node.use(both, at: at(5)).isEmpty)
        // The third failure of the check that stays, which is the second now.
        let change = node.take(.failed, check: 1, at: at(6), brake: Brake(), mayFall: true).first
        #expect(change?.to == .down)
        #expect(node.use(HealthRules(), at: at(7)).first?.to == .up)
    }

    @Test("a failure held by the brake is believed if a check of another kind fails too, or after the hold")
    func hold() {
        let icmp = Check(.icmp, target: .v4(1), intervalMilliseconds: 1_000, timeoutMilliseconds: 500, fall: 1, rise: 1)
        let rules = HealthRules(checks: [quickCheck(), quickCheck(81), icmp], slowStartMilliseconds: 0)
        func take(_ node: inout NodeHealth, _ check: Int, _ passed: Bool, _ second: Int64) {
            _ = node.take(passed ? .passed : .failed, check: check, at: at(second), brake: tightBrake, mayFall: false)
        }
        var node = NodeHealth(rules, known: .init(verdict: .up), at: at(0))
        for second: Int64 in 1...3 {
            take(&node, 0, false, second)
            take(&node, 1, false, second)
        }
        #expect(node.condition == NodeCondition(state: .up, share: 256, ttl: 1))
        #expect(node.heldSince == at(2))
        var other = node
        take(&other, 2, false, 4)
        #expect(other.condition.state == .down && other.heldSince == nil)

        _ = node.advance(to: at(61), brake: tightBrake, mayFall: false)
        #expect(node.condition.state == .up)
        let change = node.advance(to: at(62), brake: tightBrake, mayFall: false).first
        #expect(change?.to == .down && change?.cause == .checks)
    }
}
