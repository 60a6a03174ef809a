import ConfigurationModel
import ControlFailures
import ControlPlane
import DNSWire
import FastPathPlan
import Foundation
import Glibc
import ModelCompiler
import Resolution
import StateStore
import Steering
import Synchronization
import Testing
import Zones

/// Every command with a failure at its first step, its second, and so on until it succeeds.
@Suite("A failure at any step of any command")
struct FaultTests {
    /// What is done to the control plane.
    enum Command: CaseIterable {
        case reloadOfNames, reloadOfTables, reloadOfOptions, records, forget, compaction, handover, stop
    }

    /// What is served and kept, as far as two worlds can be compared.
    private struct Snapshot: Hashable {
        let addresses: [String: [[UInt8]]]
        let serial: UInt32?
        /// Of everything but the zones.
        let surroundings: UInt64
        let knowsCookies: Bool
        /// Kept RRsets by owner.
        let kept: [[UInt8]: [UInt8]]
    }

    private static let names = ["host", "more", "first", "new", "later"]

    private static func snapshot(_ world: World) throws -> Snapshot {
        let loaded = world.state.current.served.loaded
        let kept = world.store.rrsets.sets.map { ($0.key.owner, $0.value.records) }
        return Snapshot(
            addresses: try Dictionary(uniqueKeysWithValues: names.map { ($0, try world.addresses($0)) }),
            serial: loaded.zones.first?.serial, surroundings: loaded.surroundingsDigest,
            knowsCookies: loaded.configuration.cookies.isEnabled,
            kept: Dictionary(uniqueKeysWithValues: kept))
    }

    /// What every command finds: one record change is kept, and what the command needs.
    private static func prepare(_ command: Command, _ world: World) async throws {
        _ = try await world.publisher.change(World.change("first", to: [192, 0, 2, 8]))
        switch command {
        case .reloadOfNames: try world.writeZone("more IN A 192.0.2.77")
        case .reloadOfTables, .stop: world.source.set(World.yaml.replacing("latitude: 52.5", with: "latitude: 48.1"))
        case .reloadOfOptions: world.source.set(World.yaml + "cookies: {enabled: false}\n")
        case .compaction: await world.fastPath.setOverlayUse(0.95)
        case .records, .forget, .handover: break
        }
    }

    /// - Returns: whether the command says that it succeeded.
    private static func run(_ command: Command, _ world: World) async throws -> Bool {
        do {
            switch command {
            case .reloadOfNames, .reloadOfTables, .reloadOfOptions: _ = try await world.publisher.reload(.command)
            case .records: _ = try await world.publisher.change(World.change("new", to: [192, 0, 2, 9]))
            case .forget: _ = try await world.publisher.forget(DomainName(World.zoneName), names: [], type: nil)
            case .compaction:
                _ = try await world.publisher.change(World.change("new", to: [192, 0, 2, 9]))
                while await !world.fastPath.calls.contains(.publish) { try await Self.giveWay() }
                await world.publisher.quiesce()
            case .handover: try await handOver(world)
            case .stop: try await stop(world)
            }
            return true
        } catch is ControlFailure { return false }
    }

    /// The daemon stops while a reload is being published, or where that fails earlier, after the failure.
    private static func stop(_ world: World) async throws {
        await world.fastPath.holdPublications()
        let hasEnded = Atomic(false)
        async let reload: Void = {
            defer { hasEnded.store(true, ordering: .relaxed) }
            _ = try await world.publisher.reload(.command)
        }()
        while await !world.fastPath.hasHeld {
            guard !hasEnded.load(ordering: .relaxed) else { break }
            try await giveWay()
        }
        world.life.change { $0.stop() }
        await world.fastPath.letGo()
        await world.publisher.quiesce()
        try await reload
    }

    /// Lets others go on, until the test's time is over.
    private static func giveWay() async throws {
        try Task.checkCancellation()
        await Task.yield()
    }

    /// A successor takes over, and ends before it has.
    private static func handOver(_ world: World) async throws {
        let successor = Process()
        successor.executableURL = URL(filePath: "/bin/sleep")
        successor.arguments = ["600"]
        try successor.run()
        let (reloads, readings) = (world.state.current.revision, world.source.endedReadings)
        let pid = successor.processIdentifier
        do { _ = try await world.handover.handOver(to: pid, peer: pid) } catch {
            kill(pid, SIGKILL)
            throw error
        }
        #expect(world.life.current.publishingRefusal == DaemonLife.isHandingOver)
        // Not terminate(): a child inherits blocked signals, and those of a task's thread are blocked.
        kill(pid, SIGKILL)
        // What the successor may have changed is read again: first from the store, which may fail by itself, then by a reload.
        while world.life.phase != .serving || world.state.current.revision == reloads
            || world.source.endedReadings == readings
        { try await giveWay() }
    }

    @Test(
        "leaves the state before or the state after, on both paths and in the store, and nothing behind",
        .timeLimit(.minutes(2)), arguments: Command.allCases)
    func everyStep(command: Command) async throws {
        let after = try await Self.succeeded(command)
        var step = 1
        while true {
            let world = try await World()
            defer { world.remove() }
            try await Self.prepare(command, world)
            let before = try Self.snapshot(world)
            let models = Models(world)
            world.faults.arm(at: step)
            let isDone = try await Self.run(command, world)
            let hasFired = world.faults.disarm()
            let now = try Self.snapshot(world)
            #expect(now == before || now == after, "step \(step)")
            if isDone { #expect(now == after, "step \(step): it succeeded, and nothing changed") }
            if !isDone { #expect(now == before, "step \(step): it failed, and something changed") }
            try await Self.expectAgreement(world, "step \(step)")
            try await Self.expectWorking(world, stopped: command == .stop, "step \(step)")
            if command != .stop {
                await models.expectReleased("step \(step)")
            }
            guard hasFired else { break }
            step += 1
            try #require(step < 100, "it never succeeds")
        }
        #expect(step > 1, "no step failed")
    }

    /// The state after a command without a failing step.
    private static func succeeded(_ command: Command) async throws -> Snapshot {
        let world = try await World()
        defer { world.remove() }
        try await prepare(command, world)
        _ = try await run(command, world)
        return try snapshot(world)
    }

    /// Both paths, the published state and the store say the same.
    private static func expectAgreement(_ world: World, _ comment: Comment) async throws {
        let served = world.state.current.served
        let slow = world.slowPath.resolver.model
        #expect(await world.epoch == served.loaded.model.epoch, comment)
        #expect(slow.digest == served.loaded.model.digest, comment)
        // Both at once: a compaction may publish at any moment.
        let (published, changed) = await world.fastPath.contents
        let image = try #require(published)
        #expect(
            image.speech == ProtocolImage(served.settings, FastPathSwitches(served.loaded.configuration.fastPath)),
            comment)
        // What the image lacks came to the fast path as changed names.
        let lacking = try #require(
            StaticChanges(from: image.model, to: slow, sharing: image.sharingZones, limit: 4_096), comment)
        #expect(lacking.names.isEmpty || changed > 0, comment)
        let kept = Set(world.store.rrsets.sets.keys.map(\.owner))
        #expect(kept == Set(served.changes.values.flatMap { $0.sets.keys.map(\.owner) }), comment)
    }

    /// Later commands go through, or are refused when the daemon stops.
    private static func expectWorking(_ world: World, stopped: Bool, _ comment: Comment) async throws {
        let change = try World.change("later", to: [192, 0, 2, 10])
        guard !stopped else {
            await #expect(throws: ControlFailure.self, comment) { try await world.publisher.change(change) }
            return
        }
        _ = try await world.publisher.change(change)
        #expect(try world.addresses("later") == [[192, 0, 2, 10]], comment)
        try await expectAgreement(world, comment)
        // New tables: nothing has to keep the ones before.
        world.source.set(World.yaml.replacing("latitude: 52.5", with: "latitude: 10.5"))
        let reload = try await world.publisher.reload(.command)
        #expect(reload.path == .tables, comment)
        try await expectAgreement(world, comment)
    }

    /// Whether what was served before a command is still held by something.
    private final class Models {
        private weak var zone: Zone?
        private weak var lists: AnyObject?

        init(_ world: World) {
            let model = world.slowPath.resolver.model
            zone = model.zones.zones.first
            lists = model.steering.lists
        }

        func expectReleased(_ comment: Comment) async {
            // The last task that had it may still be on its way out.
            for _ in 0..<100_000 where zone != nil || lists != nil { await Task.yield() }
            #expect(zone == nil && lists == nil, comment)
        }
    }
}
