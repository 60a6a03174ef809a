import ConfigurationModel
import ControlFailures
import ControlPlane
import FastPathPlan
import Foundation
import Glibc
import Health
import HealthChecks
import Logging
import StateStore
import Testing

/// A process that may take over, and does nothing.
final class Successor {
    private let process = Process()

    init() throws {
        process.executableURL = URL(filePath: "/bin/sleep")
        process.arguments = ["600"]
        try process.run()
    }

    deinit { end() }

    var pid: Int32 { process.processIdentifier }

    // Not terminate(): a child inherits blocked signals, and those of a task's thread are blocked.
    func end() { kill(pid, SIGKILL) }
}

@Suite("A handover, as the predecessor sees it")
struct HandoverTests {
    private static func until(_ condition: () async -> Bool) async throws {
        while await !condition() { try await Task.sleep(for: .milliseconds(1)) }
    }

    private static func deadline(_ world: World) -> ContinuousClock.Instant? {
        if case .handingOver(_, let deadline) = world.life.phase { deadline } else { nil }
    }

    @Test("a successor that asks twice gets no grant before what was under way has ended", .timeLimit(.minutes(1)))
    func asksTwice() async throws {
        let world = try await World(socket: FakeSocket())
        defer { world.remove() }
        let successor = try Successor()
        let pid = successor.pid
        world.source.set(World.yaml.replacing("latitude: 52.5", with: "latitude: 48.1"))
        await world.fastPath.holdPublications()
        async let reload = world.publisher.reload(.command)
        try await Self.until { await world.fastPath.hasHeld }
        async let first = world.handover.handOver(to: pid, peer: pid)
        try await Self.until { Self.deadline(world) != nil }
        let begun = Self.deadline(world)
        async let second = world.handover.handOver(to: pid, peer: pid)
        try await Self.until { Self.deadline(world) != begun }
        await world.fastPath.letGo()
        #expect(try await second.path == "spare", "the socket is held when the grant is given")
        #expect(try await first.path == "spare")
        #expect(try await reload.epoch == 2)
        await world.handover.end()
    }

    @Test("the end of a successor that was late takes everything back once more", .timeLimit(.minutes(1)))
    func late() async throws {
        let socket = FakeSocket()
        let world = try await World(handoverLimit: .milliseconds(50), socket: socket)
        defer { world.remove() }
        let successor = try Successor()
        _ = try await world.handover.handOver(to: successor.pid, peer: successor.pid)
        try await Self.until { await world.fastPath.backTakings == 1 && world.life.phase == .serving }
        #expect(socket.restorations == [false])
        successor.end()
        try await Self.until { await world.fastPath.backTakings == 2 && world.life.phase == .serving }
        #expect(socket.restorations == [false, true])
        #expect(world.life.current.late.isEmpty)
        await world.handover.end()
    }

    @Test("a reload that a handover abandoned leaves nothing behind, though it ends later", .timeLimit(.minutes(1)))
    func abandonedReload() async throws {
        let world = try await World()
        defer { world.remove() }
        world.source.hold()
        async let reload = Result.of { try await world.publisher.reload(.command) }
        try await Self.until { world.source.begunReadings == 1 }
        let one = ProcessIdentity(pid: 1, startedAt: 1)
        _ = try world.life.change { life in
            Result { try life.ask(one, at: .now, limit: .seconds(60), isAlive: { _ in true }) }
        }.get()
        await world.publisher.quiesce()
        let read = await reload
        #expect(throws: ControlFailure.self) { try read.get() }
        // The successor ends before the reading does.
        world.life.change { life in
            _ = life.check(at: .now, isAlive: { _ in false })
            life.tookBack()
        }
        world.source.letGo()
        try await Self.until { world.source.endedReadings == 1 }
        for _ in 0..<100 where world.state.current.refused == nil {
            try await Task.sleep(for: .milliseconds(5))
        }
        #expect(world.state.current.refused == nil)
    }

    @Test("while a successor has its turn, the program is not taken off", .timeLimit(.minutes(1)))
    func detaching() async throws {
        let world = try await World()
        defer { world.remove() }
        let image = try #require(await world.fastPath.image)
        let settings = try world.source.configuration().fastPath
        // Without a program, and as a successor: nothing of the machine is touched.
        let runner = try FastPathRunner(
            settings, image: image, isTakeover: true, life: world.life, logger: Logger(label: "test"))
        #expect(try await runner.stop().isEmpty)
        let one = ProcessIdentity(pid: 1, startedAt: 1)
        _ = try world.life.change { life in
            Result { try life.ask(one, at: .now, limit: .seconds(60), isAlive: { _ in true }) }
        }.get()
        let failure = await #expect(throws: ControlFailure.self) { try await runner.stop() }
        #expect(failure?.code == .conflict)
    }

    @Test("what a lost successor changed and a stop leaves unread is no error", .timeLimit(.minutes(1)))
    func resumeWhileStopping() async throws {
        let world = try await World()
        defer { world.remove() }
        world.life.change { $0.stop() }
        await world.publisher.resume()
        #expect(world.log.messages(.error).isEmpty)
    }

    @Test("verdicts under an override are written for the successor")
    func unkeptVerdict() async throws {
        let checked = World.yaml.replacing(
            "longitude: 13.4}}", with: "longitude: 13.4}, health: {checks: [{type: report, fall: 1}]}}")
        let world = try await World(yaml: checked)
        defer { world.remove() }
        let check = try #require(world.state.current.nodes?.fleet.nodes["ber"]?.rules.checks.first)
        let drained = NodeOrder(claim: Claim(.person, .drained, author: "ann"), force: true, author: "ann")
        _ = try await world.nodes.apply(drained, to: .nodes(["ber"]))
        let before = world.store.nodes["ber"]?.verdict
        // No transition: the override decides the state.
        await world.nodes.take([.heartbeat(of: "ber", check, passed: false, evidence: "ill", at: .now)])
        #expect(world.store.nodes["ber"]?.verdict == before, "it is written at the next pace")
        let one = ProcessIdentity(pid: 1, startedAt: 1)
        _ = try world.life.change { life in
            Result { try life.ask(one, at: .now, limit: .seconds(60), isAlive: { _ in true }) }
        }.get()
        await world.nodes.handOver()
        #expect(world.store.nodes["ber"]?.verdict == "down")
    }

    @Test("readers find the transitions of a successor that was lost in the store")
    func successorsTransitions() async throws {
        let world = try await World()
        defer { world.remove() }
        let order = NodeOrder(claim: Claim(.person, .down, author: "ann"), force: false, author: "ann")
        _ = try await world.nodes.apply(order, to: .nodes(["ber"]))
        let seen = world.events.latest
        #expect(world.events.recent(after: seen)?.isEmpty == true)
        // The successor's: in the store alone.
        world.store.write(
            [
                NodeTransition(
                    sequence: world.store.nextNumber(), time: 1, node: "nyc", from: "up", to: "down", cause: "checks",
                    authority: "checks", epoch: 1)
            ], nodes: [:])
        await world.nodes.takeBack()
        #expect(world.events.recent(after: seen) == nil, "memory lacks them")
        #expect(await world.store.changes(after: seen, limit: 9).map(\.node) == ["nyc"])
        let latest = world.events.latest
        #expect(latest > seen && world.events.recent(after: latest)?.isEmpty == true)
    }
}
