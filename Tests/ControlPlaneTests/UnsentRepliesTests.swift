import ControlPlane
import Testing

@Suite("Replies that a driver could not send")
struct UnsentRepliesTests {
    @Test("what the driver counted before this process is not its loss, and news come once")
    func growth() {
        var unsent = UnsentReplies()
        #expect(unsent.take(["eth0": 100, "eth1": 0]) == [])
        #expect(unsent.take(["eth0": 100, "eth1": 0]) == [])
        #expect(unsent.counts["eth0"] == .init(total: 0, recent: 0))
        #expect(unsent.take(["eth0": 130, "eth1": 0]) == [.began(interface: "eth0", count: 30)])
        #expect(unsent.take(["eth0": 135, "eth1": 0]) == [])
        #expect(unsent.counts == ["eth0": .init(total: 35, recent: 35), "eth1": .init(total: 0, recent: 0)])
        for _ in 0..<5 { #expect(unsent.take(["eth0": 135, "eth1": 0]) == []) }
        #expect(unsent.counts["eth0"] == .init(total: 35, recent: 5))
        #expect(unsent.take(["eth0": 135, "eth1": 0]) == [.ended(interface: "eth0")])
        #expect(unsent.counts["eth0"] == .init(total: 35, recent: 0))
    }

    @Test("a driver that was loaded again counts from zero, and an interface that left is forgotten")
    func restart() {
        var unsent = UnsentReplies()
        _ = unsent.take(["eth0": 1_000])
        #expect(unsent.take(["eth0": 3]) == [.began(interface: "eth0", count: 3)])
        #expect(unsent.take([:]) == [])
        #expect(unsent.counts.isEmpty)
        #expect(unsent.take(["eth0": 9]) == [])
        #expect(unsent.counts["eth0"] == .init(total: 0, recent: 0))
    }

    @Test("the drivers are asked every 10 s")
    func pace() {
        var unsent = UnsentReplies()
        let second: Int64 = 1_000_000_000
        let due = [0, 1, 9, 10, 11, 20].filter { unsent.isDue(at: 500 * second + $0 * second) }
        #expect(due == [0, 10, 20])
    }
}
