import ControlFailures
import ControlPlane
import Foundation
import Simulation
import Testing

@Suite("Change sets")
struct ChangeTests {
    private static func book(_ world: World, limit: Int = ChangeBook.standardLimit) -> ChangeBook {
        ChangeBook(
            limit: limit, publisher: world.publisher, words: world.words, events: world.events,
            numbers: { [store = world.store] in store.nextNumber() },
            now: { Date(timeIntervalSince1970: 1_790_000_000) })
    }

    /// The two nodes change places.
    private static let moved = World.yaml
        .replacing("latitude: 52.5, longitude: 13.4", with: "latitude: 0, longitude: 0")
        .replacing("latitude: 40.7, longitude: -74", with: "latitude: 52.5, longitude: 13.4")
        .replacing("latitude: 0, longitude: 0", with: "latitude: 40.7, longitude: -74")

    private static func problem(_ body: () async throws -> Void) async -> ControlFailure? {
        do { try await body() } catch { return error as? ControlFailure }
        return nil
    }

    @Test("a plan says what moves and changes nothing; applied, it is what is served")
    func applied() async throws {
        let world = try await World()
        defer { world.remove() }
        let book = Self.book(world)
        world.source.set(Self.moved)
        let set = try await book.plan(by: "ann", reason: "new site")
        #expect(set.state == .planned && set.plan.preview.changesAnything)
        #expect(await world.epoch == 1, "planning changes nothing")
        let part = try #require(set.plan.effect.parts.first)
        #expect(part.names.map { "\($0)" } == ["www.example.com."] && part.moved > 0 && part.cut == 0)
        #expect(set.plan.guards.map(\.guard) == [.clientsMoved])

        let refusal = await Self.problem { _ = try await book.apply(set.number, accepting: [], by: "ann") }
        #expect(refusal?.code == .conflict && refusal?.remedy?.contains("--accept clients_moved") == true)
        #expect(await world.epoch == 1)
        let (applied, outcome) = try await book.apply(set.number, accepting: [.clientsMoved, .apexChanged], by: "bob")
        #expect(applied.state == .applied && applied.accepted == [.clientsMoved] && applied.closedBy == "bob")
        #expect(await world.epoch == 2 && outcome.epoch == 2 && applied.epoch == 2)
        let again = await Self.problem { _ = try await book.apply(set.number, accepting: [.clientsMoved], by: "bob") }
        #expect(again?.code == .conflict && again?.message.contains("applied already") == true)
    }

    @Test("a plan is stale once the files or what is served differ, whatever they differ in", arguments: 0..<4)
    func stale(case number: Int) async throws {
        let world = try await World()
        defer { world.remove() }
        let book = Self.book(world)
        world.source.set(World.yaml + "\nidentity: {nsid: text:a}\n")
        let set = try await book.plan(by: "ann", reason: nil)
        #expect(set.plan.guards.isEmpty && set.plan.effect.parts.isEmpty)
        switch number {
        case 0: world.source.set(World.yaml + "\nidentity: {nsid: text:b}\n")
        case 1: world.source.set(World.yaml + "\nidentity: {nsid: text:a}\nwatch: false\n")
        case 2: try world.writeZone("more IN A 192.0.2.9")
        default:
            // Served meanwhile, and taken back in the files only.
            world.source.set(World.yaml + "\nidentity: {nsid: text:c}\n")
            _ = try await world.publisher.reload(.command)
            world.source.set(World.yaml + "\nidentity: {nsid: text:a}\n")
        }
        let epoch = await world.epoch
        let refusal = await Self.problem { _ = try await book.apply(set.number, accepting: [], by: "ann") }
        #expect(refusal?.code == .conflict && refusal?.message.contains("since the change was planned") == true)
        #expect(await world.epoch == epoch)
        #expect(try await book.changeSet(set.number).state == .stale)
        #expect(world.state.current.reloads.refused == 0 && world.state.current.refused == nil)
    }

    @Test("of many that apply one change, one does, and nobody closes it meanwhile")
    func race() async throws {
        let world = try await World()
        defer { world.remove() }
        let book = Self.book(world)
        world.source.set(World.yaml + "\nidentity: {nsid: text:a}\n")
        let set = try await book.plan(by: "ann", reason: nil)
        let failures = await withTaskGroup(of: ControlFailure?.self) { group in
            for _ in 0..<8 {
                group.addTask { await Self.problem { _ = try await book.apply(set.number, accepting: [], by: "bob") } }
                group.addTask { await Self.problem { _ = try await book.withdraw(set.number, by: "eve") } }
            }
            return await group.reduce(into: [ControlFailure]()) { if let failure = $1 { $0.append(failure) } }
        }
        #expect(failures.count == 15 && failures.allSatisfy { $0.code == .conflict })
        let state = try await book.changeSet(set.number).state
        #expect(state == .applied || state == .withdrawn)
        #expect(world.state.current.reloads.refused == 0, "a plan that cannot be applied is no refused reload")
    }

    @Test("record changes and states of nodes go on while a change waits")
    func undisturbed() async throws {
        let world = try await World()
        defer { world.remove() }
        let book = Self.book(world)
        world.source.set(World.yaml + "\nidentity: {nsid: text:a}\n")
        let set = try await book.plan(by: "ann", reason: nil)
        _ = try await world.publisher.change(World.change("more", to: [192, 0, 2, 8]))
        #expect(try await book.apply(set.number, accepting: [], by: "ann").0.state == .applied)
        #expect(try world.addresses("more") == [[192, 0, 2, 8]])
    }

    @Test("what a change removes is guarded")
    func removals() async throws {
        let world = try await World()
        defer { world.remove() }
        let book = Self.book(world)
        let more = (0..<20).map { "r\($0) IN A 192.0.2.\($0)" }
        try world.writeZone(more.joined(separator: "\n"))
        _ = try await world.publisher.reload(.command)
        try Data(
            (World.zone.replacing("hostmaster 1 ", with: "hostmaster 3 ").replacing("NS ns1", with: "NS host")
                + "\n" + more.prefix(10).joined(separator: "\n") + "\n").utf8
        ).write(to: world.folder.appending(path: "example.com.zone"))
        world.source.set(World.yaml.split(separator: "\n").prefix { !$0.hasPrefix("tailored") }.joined(separator: "\n"))
        let set = try await book.plan(by: "ann", reason: nil)
        #expect(Set(set.plan.guards.map(\.guard)) == [.namesRemoved, .recordsRemoved, .apexChanged])
        #expect(set.plan.guards.first { $0.guard == .recordsRemoved }?.measure.hasPrefix("10 records") == true)
    }

    @Test("files that could not be served are not planned, and a zone that cannot be read is not applied")
    func invalid() async throws {
        let world = try await World()
        defer { world.remove() }
        let book = Self.book(world)
        world.source.set(World.yaml.replacing("pool: web", with: "pool: none"))
        let refusal = await Self.problem { _ = try await book.plan(by: "ann", reason: nil) }
        #expect(refusal?.code == .invalid)
        #expect(await book.all.isEmpty)
        world.source.set(World.yaml + "\nidentity: {nsid: text:a}\n")
        try Data("@ IN nonsense\n".utf8).write(to: world.folder.appending(path: "example.com.zone"))
        let set = try await book.plan(by: "ann", reason: nil)
        let broken = await Self.problem { _ = try await book.apply(set.number, accepting: [], by: "ann") }
        #expect(broken?.code == .conflict && broken?.message.contains("as a whole") == true)
        #expect(await world.epoch == 1)
        #expect(try await book.withdraw(set.number, by: "ann").state == .withdrawn)
        let closed = await Self.problem { _ = try await book.withdraw(set.number, by: "ann") }
        #expect(closed?.code == .conflict)
        let unknown = await Self.problem { _ = try await book.changeSet(9_999) }
        #expect(unknown?.code == .notFound)
    }

    @Test("a failed publication leaves the plan as it was, to be applied again")
    func failed() async throws {
        let world = try await World()
        defer { world.remove() }
        let book = Self.book(world)
        world.source.set(Self.moved)
        let set = try await book.plan(by: "ann", reason: nil)
        await world.fastPath.fail(at: [.publish])
        let failure = await Self.problem { _ = try await book.apply(set.number, accepting: [.clientsMoved], by: "ann") }
        #expect(failure != nil && failure?.code != .conflict)
        #expect(try await book.changeSet(set.number).state == .planned)
        #expect(await world.epoch == 1)
        await world.fastPath.fail(at: [])
        #expect(try await book.apply(set.number, accepting: [.clientsMoved], by: "ann").0.state == .applied)
    }

    @Test("changed files propose one change: a later version takes its place, and an equal one does not")
    func proposed() async throws {
        let world = try await World()
        defer { world.remove() }
        let book = Self.book(world)
        await book.propose()
        #expect(await book.all.isEmpty, "the files say what is served")
        world.source.set(World.yaml + "\nidentity: {nsid: text:a}\n")
        await book.propose()
        await book.propose()
        let first = await book.all
        #expect(first.map(\.state) == [.planned] && first.first?.author == ChangeBook.watchAuthor)
        let own = try await book.plan(by: "ann", reason: nil)
        world.source.set(World.yaml + "\nidentity: {nsid: text:b}\n")
        await book.propose()
        #expect(await book.all.map(\.state) == [.planned, .planned, .stale])
        #expect(await book.all.map(\.author) == [ChangeBook.watchAuthor, "ann", ChangeBook.watchAuthor])
        #expect(
            try await book.changeSet(own.number).state == .planned, "what a person planned is that person's to close")
        world.source.set(World.yaml)
        await book.propose()
        #expect(await book.all.map(\.state) == [.stale, .planned, .stale], "the files were taken back")
        world.source.set(World.yaml + "\nidentity: {nsid: text:c}\n")
        await book.propose()
        let last = try #require(await book.all.first)
        _ = try await book.withdraw(last.number, by: "ann")
        await book.propose()
        #expect(await book.all.first?.number == last.number, "what was withdrawn is not proposed again")
        #expect(await world.epoch == 1)
    }

    @Test("only the latest are kept, and open ones longer than closed ones")
    func kept() async throws {
        let world = try await World()
        defer { world.remove() }
        let book = Self.book(world, limit: 3)
        let open = try await book.plan(by: "ann", reason: nil)
        for _ in 0..<4 {
            let set = try await book.plan(by: "ann", reason: nil)
            _ = try await book.withdraw(set.number, by: "ann")
        }
        let all = await book.all
        #expect(all.count == 3 && all.last?.number == open.number)
        #expect(zip(all, all.dropFirst()).allSatisfy { $0.number > $1.number })
    }
}
