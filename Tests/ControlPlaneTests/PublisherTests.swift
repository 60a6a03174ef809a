import Access
import ControlFailures
import ControlPlane
import DNSWire
import Foundation
import IPNetworks
import ManagementClient
import ModelCompiler
import Resolution
import StateStore
import Synchronization
import Testing
import Zones

@Suite("What is served, and its one owner")
struct PublisherTests {
    /// Runs a test in a world of its own.
    private static func inWorld(
        hasFastPath: Bool = true, _ body: (World) async throws -> Void
    ) async throws {
        let world = try await World(hasFastPath: hasFastPath)
        defer { world.remove() }
        try await body(world)
    }

    @Test("a record change is kept, served by both paths and an event", arguments: [true, false])
    func change(hasFastPath: Bool) async throws {
        try await Self.inWorld(hasFastPath: hasFastPath) { world in
            let outcome = try await world.publisher.change(World.change("new", to: [192, 0, 2, 9]))
            #expect(outcome.changed == 1 && outcome.epoch == 2 && outcome.serial == 2)
            #expect(outcome.path == (hasFastPath ? .names : .none))
            #expect(await world.epoch == 2)
            #expect(try world.addresses("new") == [[192, 0, 2, 9]])
            #expect(world.store.rrsets.sets.count == 1)
            let state = world.state.current
            #expect(state.served.loaded.model.epoch == 2 && state.served.changes.count == 1)
            let changes = world.events.recent(after: 0)?.compactMap { event in
                if case .recordsChanged(let change) = event.kind { change } else { nil }
            }
            #expect(changes?.map(\.author) == ["ann"] && changes?.first?.count == 1)
        }
    }

    @Test("a record change that cannot be kept is not made")
    func unkept() async throws {
        try await Self.inWorld { world in
            world.store.fail(true)
            await #expect(throws: ControlFailure.self) {
                try await world.publisher.change(World.change("new", to: [192, 0, 2, 9]))
            }
            #expect(await world.epoch == 1)
            #expect(try world.addresses("new").isEmpty)
            #expect(world.store.rrsets.sets.isEmpty && world.state.current.served.changes.isEmpty)
            #expect(await world.fastPath.calls.isEmpty)
            world.store.fail(false)
            _ = try await world.publisher.change(World.change("new", to: [192, 0, 2, 9]))
            #expect(await world.epoch == 2)
        }
    }

    /// After a failure at any step both paths agree, on the state before or on the one after, and the store has what serves.
    @Test(
        "whatever step of a record change fails, both paths agree and the store has what they serve",
        arguments: [
            [FakeFastPath.Step.change], [.publish], [.retire], [.change, .publish], [.change, .retire],
            [.change, .publish, .retire],
        ])
    func faults(steps: [FakeFastPath.Step]) async throws {
        try await Self.inWorld { world in
            _ = try await world.publisher.change(World.change("first", to: [192, 0, 2, 8]))
            await world.fastPath.fail(at: Set(steps))
            let result = await Result.of { try await world.publisher.change(World.change("new", to: [192, 0, 2, 9])) }
            let isMade = (try? result.get()) != nil
            #expect(isMade == !(steps.contains(.change) && steps.contains(.publish)))
            #expect(await world.epoch == (isMade ? 3 : 2))
            #expect(try world.addresses("new").isEmpty == !isMade)
            #expect(world.store.rrsets.sets.count == (isMade ? 2 : 1))
            #expect(world.state.current.served.loaded.model.epoch == (isMade ? 3 : 2))
            // Nothing is stuck: the next change goes through.
            await world.fastPath.fail(at: [])
            _ = try await world.publisher.change(World.change("next", to: [192, 0, 2, 10]))
            #expect(await world.epoch == (isMade ? 4 : 3))
        }
    }

    @Test(
        "whatever step of a reload fails, both paths agree",
        arguments: [[FakeFastPath.Step.publish], [.retire], [.change]])
    func reloadFaults(steps: [FakeFastPath.Step]) async throws {
        try await Self.inWorld { world in
            // Another place of a node: the tables have to be exchanged.
            world.source.set(World.yaml.replacing("latitude: 52.5", with: "latitude: 48.1"))
            await world.fastPath.fail(at: Set(steps))
            let before = world.state.current.served.loaded.model.digest
            let result = await Result.of { try await world.publisher.reload(.command) }
            let isMade = !steps.contains(.publish)
            #expect(((try? result.get()) != nil) == isMade)
            #expect(await world.epoch == (isMade ? 2 : 1))
            #expect((world.state.current.served.loaded.model.digest == before) == !isMade)
            #expect(world.state.current.reloads.refused == (isMade ? 0 : 1))
            await world.fastPath.fail(at: [])
            let later = try await world.publisher.reload(.command)
            #expect(later.difference.isAny == !isMade)
            #expect(await world.epoch == 2)
        }
    }

    @Test("a reload says what changed, once")
    func reload() async throws {
        try await Self.inWorld { world in
            try world.writeZone("more IN A 192.0.2.77")
            let outcome = try await world.publisher.reload(.watch)
            #expect(outcome.difference.zones.changed == ["example.com."] && outcome.path == .names)
            #expect(outcome.trigger == .watch && outcome.epoch == 2)
            #expect(try world.addresses("more") == [[192, 0, 2, 77]])
            let again = try await world.publisher.reload(.command)
            #expect(!again.changesAnything && again.path == .none && again.epoch == 2)
            let history = world.state.current.reloads
            #expect(history.changed == 1 && history.unchanged == 1 && history.refused == 0)
        }
    }

    @Test("a configuration that cannot be read changes nothing, and is an event")
    func refused() async throws {
        try await Self.inWorld { world in
            world.source.set("nodes: nonsense")
            await #expect(throws: ControlFailure.self) { try await world.publisher.reload(.command) }
            #expect(await world.epoch == 1)
            let history = world.state.current.reloads
            #expect(history.refused == 1 && history.lastIsRefused == true && !history.problems.isEmpty)
            let refusals = world.events.recent(after: 0)?.filter { event in
                if case .reloadRefused = event.kind { true } else { false }
            }
            #expect(refusals?.count == 1)
        }
    }

    @Test("records that change while a revision is read are part of it", .timeLimit(.minutes(1)))
    func catchingUp() async throws {
        try await Self.inWorld { world in
            try world.writeZone("more IN A 192.0.2.77")
            world.source.hold()
            async let reload = world.publisher.reload(.command)
            _ = try await world.publisher.change(World.change("new", to: [192, 0, 2, 9]))
            world.source.letGo()
            let outcome = try await reload
            #expect(outcome.difference.zones.count == 1)
            #expect(try world.addresses("new") == [[192, 0, 2, 9]] && world.addresses("more") == [[192, 0, 2, 77]])
            let epoch = await world.epoch
            #expect(epoch == world.state.current.served.loaded.model.epoch)
        }
    }

    @Test("additions that come and go while a zone is read again are kept, or leave nothing", .timeLimit(.minutes(1)))
    func additionsMeanwhile() async throws {
        try await Self.inWorld { world in
            _ = try await world.publisher.change(World.change("old", to: [192, 0, 2, 7]))
            try world.writeZone("more IN A 192.0.2.77")
            world.source.hold()
            async let reload = world.publisher.reload(.command)
            while world.source.begunReadings == 0 { await Task.yield() }
            _ = try await world.publisher.change(World.change("brief", to: [192, 0, 2, 9]))
            _ = try await world.publisher.change(World.change("brief", to: nil))
            _ = try await world.publisher.change(World.change("old", to: nil))
            _ = try await world.publisher.change(World.change("new", to: [192, 0, 2, 9]))
            // The file that is being read has this one, and what is served lacks it.
            _ = try await world.publisher.change(World.change("more", to: [192, 0, 2, 8]))
            _ = try await world.publisher.change(World.change("more", to: nil))
            world.source.letGo()
            #expect(try await reload.difference.zones.count == 1)
            func kept() -> [[UInt8]: [UInt8]] {
                Dictionary(
                    world.store.rrsets.sets.map {
                        (Array($0.key.owner.dropFirst().prefix(while: { $0 >= 97 })), $0.value.records)
                    },
                    uniquingKeysWith: { $1 })
            }
            #expect(kept() == [Array("new".utf8): [0, 4, 192, 0, 2, 9], Array("more".utf8): []])
            #expect(try world.addresses("more") == [] && world.addresses("old") == [])
            _ = try await world.publisher.change(World.change("new", to: nil))
            #expect(kept() == [Array("more".utf8): []], "an addition made while a zone is read is still one")
        }
    }

    @Test("a program that was taken off comes back with what is served by then, and follows again")
    func attach() async throws {
        try await Self.inWorld { world in
            await world.fastPath.detach()
            world.source.set(World.yaml.replacing("latitude: 52.5", with: "latitude: 48.1"))
            let reload = try await world.publisher.reload(.command)
            #expect(reload.epoch == 2)
            #expect(await world.fastPath.image == nil, "a reload does not put it back")
            await world.fastPath.fail(at: [.publish])
            await #expect(throws: ControlFailure.self) { try await world.publisher.attach() }
            #expect(await world.fastPath.isDetached)
            await world.fastPath.fail(at: [])
            try await world.publisher.attach()
            #expect(await world.epoch == 2)
            _ = try await world.publisher.change(World.change("new", to: [192, 0, 2, 9]))
            #expect(await world.epoch == 3)
        }
    }

    @Test("a listen address that comes and goes is an event each time, and shown")
    func listenAddresses() async throws {
        try await Self.inWorld { world in
            let present = Mutex<Bool?>(false)
            let address = IPAddress.v4(0xc000_0263)
            let addresses = ListenAddresses([address], events: world.events, state: world.state) { _ in
                present.withLock { $0 }
            }
            // The system cannot tell: nothing changes.
            for now in [false, false, nil, true, true, false] as [Bool?] {
                present.withLock { $0 = now }
                await addresses.look()
                if let now { #expect(world.state.current.listenAddresses.map(\.isOnHost) == [now]) }
            }
            let news = world.events.recent(after: 0)?.compactMap { event in
                if case .listenAddress(address, let isOnHost) = event.kind { isOnHost } else { nil }
            }
            #expect(news == [false, true, false])
        }
    }

    @Test("what is forgotten is as the file has it")
    func forget() async throws {
        try await Self.inWorld { world in
            let zone = try DomainName(World.zoneName)
            _ = try await world.publisher.change(World.change("host", to: [192, 0, 2, 99]))
            let outcome = try await world.publisher.forget(zone, names: [], type: nil)
            #expect(outcome.changed == 1 && outcome.serial == 3)
            #expect(try world.addresses("host") == [[192, 0, 2, 7]])
            #expect(world.store.rrsets.sets.isEmpty && world.state.current.served.changes[zone]?.sets.isEmpty != false)
            #expect(await world.epoch == world.state.current.served.loaded.model.epoch)
            let again = try await world.publisher.forget(zone, names: [], type: nil)
            #expect(again.changed == 0)
            let stranger = try DomainName("example.net")
            await #expect(throws: ControlFailure.self) {
                try await world.publisher.forget(stranger, names: [], type: nil)
            }
        }
    }

    @Test("what the store does not let be forgotten is kept and served")
    func unforgettable() async throws {
        try await Self.inWorld { world in
            let zone = try DomainName(World.zoneName)
            _ = try await world.publisher.change(World.change("host", to: [192, 0, 2, 99]))
            world.store.fail(true)
            await #expect(throws: ControlFailure.self) {
                try await world.publisher.forget(zone, names: [], type: nil)
            }
            #expect(try world.addresses("host") == [[192, 0, 2, 99]])
            #expect(world.store.rrsets.sets.count == 1 && world.state.current.served.changes[zone]?.sets.count == 1)
        }
    }

    @Test(
        "a stop fails what is being read, lets nothing change after, and waits for nothing else",
        .timeLimit(.minutes(1)))
    func quiesce() async throws {
        try await Self.inWorld { world in
            world.source.hold()
            async let reload = Result.of { try await world.publisher.reload(.command) }
            // The reading has begun once a change goes through behind it.
            _ = try await world.publisher.change(World.change("new", to: [192, 0, 2, 9]))
            world.life.change { $0.stop() }
            await world.publisher.quiesce()
            let read = await reload
            #expect(throws: ControlFailure.self) { try read.get() }
            world.source.letGo()
            await #expect(throws: ControlFailure.self) {
                try await world.publisher.change(World.change("late", to: [192, 0, 2, 9]))
            }
            #expect(await world.epoch == 2)
            #expect(world.state.current.reloads.refused == 0, "a stop is no refusal")
        }
    }

    @Test("a reload whose publication has begun ends and says so, though the daemon stops", .timeLimit(.minutes(1)))
    func stopWhilePublishing() async throws {
        try await Self.inWorld { world in
            world.source.set(World.yaml.replacing("latitude: 52.5", with: "latitude: 48.1"))
            await world.fastPath.holdPublications()
            async let reload = Result.of { try await world.publisher.reload(.command) }
            while await !world.fastPath.hasHeld { await Task.yield() }
            world.life.change { $0.stop() }
            let hasStopped = Atomic(false)
            async let stopped: Void = {
                await world.publisher.quiesce()
                hasStopped.store(true, ordering: .relaxed)
            }()
            // Long enough for the stop to reach the publisher, where it waits for the publication.
            for _ in 0..<10_000 { await Task.yield() }
            let isEarly = hasStopped.load(ordering: .relaxed)
            #expect(!isEarly)
            await world.fastPath.letGo()
            await stopped
            let outcome = try await reload.get()
            #expect(outcome.epoch == 2 && outcome.difference.isAny)
            #expect(await world.epoch == 2)
            #expect(world.state.current.reloads.changed == 1)
        }
    }

    @Test("full tables are compacted, and the names stay", .timeLimit(.minutes(1)))
    func compaction() async throws {
        try await Self.inWorld { world in
            await world.fastPath.setOverlayUse(0.95)
            _ = try await world.publisher.change(World.change("one", to: [192, 0, 2, 1]))
            // The next one finds no room and waits for the tables that are being planned.
            _ = try await world.publisher.change(World.change("two", to: [192, 0, 2, 2]))
            await world.publisher.quiesce()
            while await !world.fastPath.calls.contains(.publish) { await Task.yield() }
            await world.publisher.quiesce()
            #expect(await world.fastPath.overlayUse <= 0.01)
            #expect(try world.addresses("one") == [[192, 0, 2, 1]] && world.addresses("two") == [[192, 0, 2, 2]])
            #expect(await world.epoch == world.state.current.served.loaded.model.epoch)
        }
    }
}

extension Result where Failure == any Error {
    /// What a call that may throw leads to.
    static func of(_ body: () async throws -> sending Success) async -> Self where Success: Sendable {
        do { return .success(try await body()) } catch { return .failure(error) }
    }
}
