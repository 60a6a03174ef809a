import ControlFailures
import ControlPlane
import ManagementClient
import ManagementServer
import Testing

@Suite("The daemon's life")
struct DaemonLifeTests {
    private static let one = ProcessIdentity(pid: 100, startedAt: 1)
    private static let other = ProcessIdentity(pid: 200, startedAt: 2)
    private static let limit = Duration.seconds(60)
    private static let start = ContinuousClock.now

    private static func asked(
        _ life: inout DaemonLife, _ process: ProcessIdentity, after seconds: Int = 0, alive: Bool = true
    ) -> Result<DaemonLife.Answer, ControlFailure> {
        Result { () throws(ControlFailure) in
            try life.ask(process, at: start + .seconds(seconds), limit: limit, isAlive: { _ in alive })
        }
    }

    private static func serving() -> DaemonLife {
        var life = DaemonLife()
        life.serve()
        return life
    }

    private static func handingOver() -> DaemonLife {
        var life = serving()
        _ = asked(&life, one)
        return life
    }

    @Test("only a daemon that serves lets what is served be changed")
    func publishing() {
        var life = DaemonLife()
        #expect(life.publishingRefusal != nil)
        life.serve()
        #expect(life.publishingRefusal == nil && life.nodeRefusal == nil && !life.leavesKernelAlone)
        _ = Self.asked(&life, Self.one)
        #expect(life.publishingRefusal == DaemonLife.isHandingOver && life.nodeRefusal == DaemonLife.isHandingOver)
        #expect(life.leavesKernelAlone)
        var stopping = Self.serving()
        stopping.stop()
        // Requests under way may still change nodes, but not what is served.
        #expect(stopping.publishingRefusal?.code == .unavailable && stopping.nodeRefusal == nil)
    }

    @Test("a handover begins once, and goes on for the same process alone")
    func asking() {
        var life = Self.serving()
        #expect(Self.asked(&life, Self.one) == .success(.begins))
        #expect(Self.asked(&life, Self.one, after: 30) == .success(.goesOn))
        guard case .failure(let failure) = Self.asked(&life, Self.other, after: 30) else {
            Issue.record("a second successor got its turn")
            return
        }
        #expect(failure.code == .conflict && life.successor == Self.one)
        // The deadline started again at 30 s.
        #expect(life.check(at: Self.start + .seconds(89), isAlive: { _ in true }) == nil)
        #expect(life.check(at: Self.start + .seconds(90), isAlive: { _ in true }) == .late)
    }

    @Test("no process can take over before the daemon serves, or after it has stopped", arguments: [false, true])
    func neverServing(stopped: Bool) {
        var life = DaemonLife()
        if stopped {
            life.serve()
            life.stop()
            life.finish()
        }
        guard case .failure(let failure) = Self.asked(&life, Self.one) else {
            Issue.record("a handover began")
            return
        }
        #expect(failure.code == .unavailable)
    }

    @Test("a successor that ends loses its turn, and the daemon serves on")
    func gone() {
        var life = Self.handingOver()
        #expect(life.check(at: Self.start, isAlive: { _ in false }) == .gone)
        #expect(life.phase == .takingBack(from: Self.one) && life.publishingRefusal != nil)
        #expect(life.check(at: Self.start, isAlive: { _ in false }) == nil, "it is said once")
        life.tookBack()
        #expect(life.phase == .serving && life.late.isEmpty && life.lateCount == 0)
        #expect(Self.asked(&life, Self.other) == .success(.begins))
    }

    @Test("a successor that is late keeps others out until it is gone")
    func late() {
        var life = Self.handingOver()
        #expect(life.check(at: Self.start + .seconds(60), isAlive: { _ in true }) == .late)
        life.tookBack()
        #expect(life.lateCount == 1)
        guard case .failure(let failure) = Self.asked(&life, Self.other, after: 61) else {
            Issue.record("another successor got its turn next to the late one")
            return
        }
        #expect(failure.message.contains("process 100"))
        #expect(Self.asked(&life, Self.other, after: 62, alive: false) == .success(.begins))
    }

    @Test("a daemon that stops during a handover leaves the kernel to its successor, unless that dies")
    func stopping() {
        var life = Self.handingOver()
        life.stop()
        #expect(life.phase == .stopping(successor: Self.one) && life.leavesKernelAlone)
        #expect(life.check(at: Self.start + .seconds(600), isAlive: { _ in true }) == nil, "it drains in its own time")
        #expect(life.check(at: Self.start, isAlive: { _ in false }) == .gone)
        #expect(life.phase == .stopping(successor: nil) && !life.leavesKernelAlone)
        life.tookBack()
        #expect(life.phase == .stopping(successor: nil), "it does not serve again")
    }

    @Test("a stop while the daemon takes back ends in a stop without successor")
    func stopWhileTakingBack() {
        var life = Self.handingOver()
        _ = life.check(at: Self.start, isAlive: { _ in false })
        life.stop()
        life.tookBack()
        #expect(life.phase == .stopping(successor: nil))
        life.finish()
        life.stop()
        #expect(life.phase == .stopped)
    }
}
