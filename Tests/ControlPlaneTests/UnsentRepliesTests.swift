import ControlPlane
import Testing

@Suite("Replies that a driver could not send")
struct UnsentRepliesTests {
    private static func take(
        _ counters: [String: UInt64], _ unsent: inout UnsentReplies, attached: Set<String>? = nil
    ) -> [UnsentReplies.News] {
        unsent.take(counters, of: attached ?? Set(counters.keys))
    }

    @Test("what the driver counted before this process is not its loss, and news come once")
    func growth() {
        var unsent = UnsentReplies()
        #expect(Self.take(["eth0": 100, "eth1": 0], &unsent) == [])
        #expect(Self.take(["eth0": 100, "eth1": 0], &unsent) == [])
        #expect(unsent.counts["eth0"] == .init(total: 0, recent: 0))
        #expect(Self.take(["eth0": 130, "eth1": 0], &unsent) == [.began(interface: "eth0", count: 30)])
        #expect(Self.take(["eth0": 135, "eth1": 0], &unsent) == [])
        #expect(unsent.counts == ["eth0": .init(total: 35, recent: 35), "eth1": .init(total: 0, recent: 0)])
        for _ in 0..<5 { #expect(Self.take(["eth0": 135, "eth1": 0], &unsent) == []) }
        #expect(unsent.counts["eth0"] == .init(total: 35, recent: 5))
        #expect(Self.take(["eth0": 135, "eth1": 0], &unsent) == [.ended(interface: "eth0")])
        #expect(unsent.counts["eth0"] == .init(total: 35, recent: 0))
    }

    @Test("a driver that was loaded again counts from zero, and an interface that left is forgotten")
    func restart() {
        var unsent = UnsentReplies()
        _ = Self.take(["eth0": 1_000], &unsent)
        #expect(Self.take(["eth0": 3], &unsent) == [.began(interface: "eth0", count: 3)])
        #expect(Self.take([:], &unsent) == [.ended(interface: "eth0")])
        #expect(unsent.counts.isEmpty)
        #expect(Self.take(["eth0": 9], &unsent) == [])
        #expect(unsent.counts["eth0"] == .init(total: 0, recent: 0))
    }

    @Test("a counter that cannot be read once is not forgotten, and an interface that leaves while it loses is told")
    func gaps() {
        var unsent = UnsentReplies()
        _ = Self.take(["eth0": 100], &unsent)
        #expect(Self.take([:], &unsent, attached: ["eth0"]) == [])
        #expect(Self.take(["eth0": 120], &unsent) == [.began(interface: "eth0", count: 20)])
        #expect(Self.take([:], &unsent, attached: ["eth0"]) == [])
        #expect(unsent.counts["eth0"] == .init(total: 20, recent: 20))
        #expect(Self.take([:], &unsent) == [.ended(interface: "eth0")])
        #expect(unsent.counts.isEmpty)
    }

    @Test("the drivers are asked every 10 s")
    func pace() {
        var unsent = UnsentReplies()
        let second: Int64 = 1_000_000_000
        let due = [0, 1, 9, 10, 11, 20].filter { unsent.isDue(at: 500 * second + $0 * second) }
        #expect(due == [0, 10, 20])
    }
}
