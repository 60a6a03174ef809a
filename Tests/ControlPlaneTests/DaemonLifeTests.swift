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

    @Test("while the daemon takes back from a late successor that is gone, another one waits for its turn")
    func outlived() {
        var life = Self.handingOver()
        _ = life.check(at: Self.start + .seconds(60), isAlive: { _ in true })
        life.tookBack()
        let isDue = life.outlived(Self.one)
        #expect(isDue && life.late.isEmpty)
        guard case .failure(let failure) = Self.asked(&life, Self.other, after: 61) else {
            Issue.record("another successor got its turn while the words may be those of the late one")
            return
        }
        #expect(failure.code == .conflict && life.publishingRefusal == DaemonLife.isHandingOver)
        life.tookBack()
        #expect(Self.asked(&life, Self.other, after: 62) == .success(.begins))
        let isDueAgain = life.outlived(Self.one)
        #expect(!isDueAgain, "the next one has its turn")
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

    // MARK: - Every transition

    /// A daemon in a phase, as it comes there.
    private static func life(in phase: String) -> DaemonLife {
        var life = phase == "starting" ? DaemonLife() : phase.hasSuffix("successor") ? handingOver() : serving()
        switch phase {
        case "handing over", "taking back": life = handingOver()
        case "stopping", "stopping with successor": life.stop()
        case "stopped": life.finish()
        default: break
        }
        if phase == "taking back" { _ = life.check(at: start, isAlive: { _ in false }) }
        return life
    }

    private static func name(_ phase: DaemonLife.Phase) -> String {
        switch phase {
        case .starting: "starting"
        case .serving: "serving"
        case .handingOver: "handing over"
        case .takingBack: "taking back"
        case .stopping(nil): "stopping"
        case .stopping: "stopping with successor"
        case .stopped: "stopped"
        }
    }

    private static let phases = [
        "starting", "serving", "handing over", "taking back", "stopping", "stopping with successor", "stopped",
    ]

    enum Step: CaseIterable {
        case serve, askAgain, askOther, renew, look, lookLate, successorEnds, lateEnds, takeBack, stop, finish
    }

    /// Phases that a step leads to another one from. From all others it leads nowhere.
    private static let transitions: [Step: [String: String]] = [
        .serve: ["starting": "serving"],
        .askAgain: ["serving": "handing over"],
        .askOther: ["serving": "handing over"],
        .renew: [:],
        .look: [:],
        .lookLate: ["handing over": "taking back"],
        .successorEnds: ["handing over": "taking back", "stopping with successor": "stopping"],
        .lateEnds: ["serving": "taking back"],
        .takeBack: ["taking back": "serving"],
        .stop: [
            "starting": "stopping", "serving": "stopping", "handing over": "stopping with successor",
            "taking back": "stopping",
        ],
        .finish: [
            "starting": "stopped", "serving": "stopped", "handing over": "stopped", "taking back": "stopped",
            "stopping": "stopped", "stopping with successor": "stopped",
        ],
    ]

    @Test("every step leads from every phase where the drawing says, and nowhere else", arguments: Step.allCases)
    func everyTransition(step: Step) throws {
        let expected = try #require(Self.transitions[step])
        for phase in Self.phases {
            var life = Self.life(in: phase)
            #expect(Self.name(life.phase) == phase)
            var answer: Result<DaemonLife.Answer, ControlFailure>?
            var loss: DaemonLife.Loss?
            switch step {
            case .serve: life.serve()
            case .askAgain: answer = Self.asked(&life, Self.one)
            case .askOther: answer = Self.asked(&life, Self.other)
            case .renew: life.renew(at: Self.start, limit: Self.limit)
            case .look: loss = life.check(at: Self.start, isAlive: { _ in true })
            case .lookLate: loss = life.check(at: Self.start + Self.limit, isAlive: { _ in true })
            case .successorEnds: loss = life.check(at: Self.start, isAlive: { _ in false })
            case .lateEnds:
                let isDue = life.outlived(Self.other)
                #expect(isDue == (phase == "serving" || phase == "stopping"), "\(step) in \(phase)")
            case .takeBack: life.tookBack()
            case .stop: life.stop()
            case .finish: life.finish()
            }
            #expect(Self.name(life.phase) == expected[phase] ?? phase, "\(step) from \(phase)")
            if let answer {
                let isGranted = (try? answer.get()) != nil
                let goesOn = step == .askAgain && (phase == "handing over" || phase == "stopping with successor")
                #expect(isGranted == (phase == "serving" || goesOn), "\(step) from \(phase)")
            }
            #expect((loss != nil) == (expected[phase] != nil && [.lookLate, .successorEnds].contains(step)))
            // Only a daemon that serves may change what is served.
            #expect((life.publishingRefusal == nil) == (life.phase == .serving), "\(step) from \(phase)")
        }
    }
}
