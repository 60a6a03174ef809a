import Health
import IPNetworks
import Testing

@Suite struct HeartbeatsTests {
    static func check(_ seconds: Int64 = 60) -> Check {
        Check(.report, target: .v4(0xc633_640a), intervalMilliseconds: seconds * 1_000, fall: 1, rise: 1)
    }

    /// Heartbeats, for expectations on what changes them.
    private final class Ear {
        private var heartbeats = Heartbeats()

        func use(_ checks: [String: Check], at now: Moment) { heartbeats.use(checks, at: now) }

        func hear(_ node: String, at now: Moment) -> Check? { heartbeats.hear(node, at: now) }

        /// Looks once a second, and gives the nodes that were missed with the second of it.
        func missed(_ seconds: ClosedRange<Int64>) -> [String] {
            seconds.flatMap { second in heartbeats.missing(at: at(second)).map { "\($0.node) \(second)" } }
        }
    }

    @Test("a report is missing after its time, and again each time after")
    func missing() {
        let heartbeats = Ear()
        heartbeats.use(["fra": Self.check(60), "ber": Self.check(10)], at: at(0))
        #expect(heartbeats.missed(0...9) == [])
        #expect(heartbeats.hear("ber", at: at(9)) == Self.check(10))
        #expect(heartbeats.missed(10...40) == ["ber 19", "ber 29", "ber 39"])
        #expect(heartbeats.missed(41...61) == ["ber 49", "ber 59", "fra 60"])
    }

    @Test("a node that need not report is never missing, and new settings keep the elapsed time")
    func settings() {
        let heartbeats = Ear()
        heartbeats.use(["fra": Self.check(60)], at: at(0))
        #expect(heartbeats.hear("ber", at: at(1)) == nil)
        #expect(heartbeats.missed(0...49) == [])
        heartbeats.use(["fra": Self.check(50), "ber": Self.check(50)], at: at(49))
        #expect(heartbeats.missed(50...51) == ["fra 50"])
        heartbeats.use([:], at: at(52))
        #expect(heartbeats.missed(52...200) == [])
    }

    @Test("time in which no listener was open does not count")
    func stopped() {
        let heartbeats = Ear()
        heartbeats.use(["fra": Self.check(60)], at: at(0))
        #expect(heartbeats.missed(0...50) == [])
        // Stopped for an hour: what was sent meanwhile is still to be read.
        #expect(heartbeats.missed(3_650...3_659) == [])
        #expect(heartbeats.missed(3_660...3_661) == ["fra 3660"])
        // A clock that goes back, which a monotonic one does not: no harm.
        #expect(heartbeats.missed(10...12) == [])
    }

    @Test("a sequence number counts once, and a node that restarts its numbers is accepted again after a while")
    func sequences() throws {
        var statements = Statements()
        try statements.count(7, of: "fra", at: at(0))
        #expect(throws: Statements.Old(last: 7)) { try statements.count(7, of: "fra", at: at(1)) }
        #expect(throws: Statements.Old(last: 7)) { try statements.count(3, of: "fra", at: at(2)) }
        try statements.count(3, of: "ber", at: at(2))
        try statements.count(8, of: "fra", at: at(3))
        try statements.count(1, of: "fra", at: at(63))
        statements.keep(["ber"], reporting: [:], at: at(64))
        try statements.count(1, of: "fra", at: at(64))
    }

    @Test("a node can lower its state below its checks, but not raise it")
    func modest() throws {
        var node = NodeHealth(HealthRules(checks: [Self.check()], slowStartMilliseconds: 0), at: at(0))
        _ = node.take("+", from: 1)
        #expect(node.condition.state == .up)
        let half = Claim(.report, .degraded, share: 128, ends: at(60), author: "node fra")
        let first = node.make(half, at: at(2)).first
        #expect(first?.to == .degraded)
        #expect(node.condition.share == 128 && node.authority == .report)
        let second = node.make(Claim(.report, .drained, author: "node fra"), at: at(3)).first
        #expect(second?.to == .drained)
        let third = node.make(Claim(.report, .up, author: "node fra"), at: at(4)).first
        #expect(third?.to == .up)
        _ = node.take("-", from: 5)
        #expect(node.condition.state == .down && node.authority == .checks)
        let fourth = node.make(Claim(.report, .degraded, author: "node fra"), at: at(6)).first
        #expect(fourth == nil)
        #expect(node.condition.state == .down)
    }
}
