import ControlFailures
import ControlPlane
import DNSWire
import ModelCompiler
import StateStore
import Testing
import Zones

@Suite("History of records")
struct RecordHistoryTests {
    private static func inWorld(_ body: (World) async throws -> Void) async throws {
        let world = try await World()
        defer { world.remove() }
        try await body(world)
    }

    /// The request that takes the change back.
    private static func undoing(_ number: UInt64, in world: World) async throws -> RecordRequest {
        let entries = try await world.store.recordHistory(RecordHistoryQuery(number: number, limit: 10))
        func set(_ entry: KeptRecordChange, _ content: KeptRecordChange.Content?) throws -> RRsetChange {
            RRsetChange(
                owner: try #require(DomainName(wire: entry.key.owner)), type: RecordType(rawValue: entry.key.type),
                ttl: content?.ttl ?? 0, records: content.map { KeptRRset.records($0.records) } ?? [])
        }
        return RecordRequest(
            zone: try DomainName(World.zoneName), changes: try entries.map { try set($0, $0.before) },
            .undo(expected: try entries.map { try set($0, $0.after) }), author: "bob")
    }

    @Test("each change is kept with what was before, and one that changes nothing is not")
    func kept() async throws {
        try await Self.inWorld { world in
            let first = try await world.publisher.change(World.change("new", to: [192, 0, 2, 9]))
            let second = try await world.publisher.change(World.change("new", to: [192, 0, 2, 8]))
            let third = try await world.publisher.change(World.change("new", to: [192, 0, 2, 8]))
            #expect(third.number == nil && third.changed == 0)
            let history = try await world.store.recordHistory(RecordHistoryQuery(limit: 10))
            #expect(history.map(\.number) == [second.number, first.number])
            #expect(history.map(\.before?.records) == [[0, 4, 192, 0, 2, 9], nil])
            #expect(history.map(\.after?.records) == [[0, 4, 192, 0, 2, 8], [0, 4, 192, 0, 2, 9]])
            #expect(history.map(\.serial) == [second.serial, first.serial] && history[0].author == "ann")
        }
    }

    @Test("undoing makes the RRsets what they were, is a change of its own, and is refused after a later change")
    func undo() async throws {
        try await Self.inWorld { world in
            let first = try await world.publisher.change(World.change("new", to: [192, 0, 2, 9]))
            let second = try await world.publisher.change(World.change("new", to: [192, 0, 2, 8]))
            let (one, two) = (try #require(first.number), try #require(second.number))
            await #expect(throws: ControlFailure.self) {
                _ = try await world.publisher.change(Self.undoing(one, in: world))
            }
            #expect(try world.addresses("new") == [[192, 0, 2, 8]], "a refused undo changes nothing")
            let undone = try await world.publisher.change(Self.undoing(two, in: world))
            #expect(try world.addresses("new") == [[192, 0, 2, 9]])
            #expect(undone.serial == second.serial + 1)
            let last = try await world.publisher.change(Self.undoing(one, in: world))
            #expect(try world.addresses("new") == [] && last.changed == 1)
            let redone = try await world.publisher.change(Self.undoing(#require(last.number), in: world))
            #expect(try world.addresses("new") == [[192, 0, 2, 9]] && redone.changed == 1)
        }
    }

    @Test("an SOA comes back with the next serial")
    func undoSOA() async throws {
        try await Self.inWorld { world in
            let zone = try DomainName(World.zoneName)
            func soa() throws -> [UInt8] {
                let rrsets = world.state.current.served.loaded.zones[0].zone.rrsets(of: zone)
                return try #require(rrsets.first { $0.type == .soa }?.records.first)
            }
            let before = try soa()
            var changed = before
            // MINIMUM, and a later serial.
            changed[changed.count - 1] ^= 1
            changed[changed.count - 17] += 8
            let change = RecordRequest(
                zone: zone, changes: [RRsetChange(owner: zone, type: .soa, ttl: 300, records: [changed])], author: "ann"
            )
            let first = try await world.publisher.change(change)
            let second = try await world.publisher.change(World.change("new", to: [192, 0, 2, 9]))
            let undone = try await world.publisher.change(Self.undoing(#require(first.number), in: world))
            #expect(undone.serial == second.serial + 1)
            let after = try soa()
            #expect(Array(after.dropLast(20)) == Array(before.dropLast(20)) && after.suffix(16) == before.suffix(16))
        }
    }

    @Test("deleting what the file does not have leaves nothing, and what the file has stays deleted")
    func nothingLeft() async throws {
        try await Self.inWorld { world in
            let before = world.state.current.served
            _ = try await world.publisher.change(World.change("new", to: [192, 0, 2, 9]))
            _ = try await world.publisher.change(World.change("new", to: [192, 0, 2, 8]))
            #expect(world.store.rrsets.sets.count == 1)
            _ = try await world.publisher.change(World.change("new", to: nil))
            var served = world.state.current.served
            let zone = try DomainName(World.zoneName)
            #expect(world.store.rrsets.sets.isEmpty && served.changes[zone]?.sets.isEmpty == true)
            #expect(served.loaded.zones[0].changes == 0)
            #expect(served.loaded.zones[0].serial == before.loaded.zones[0].serial + 3, "the serial does not go back")
            _ = try await world.publisher.change(World.change("host", to: nil))
            #expect(world.store.rrsets.sets.values.map(\.records) == [[]])
            #expect(world.state.current.served.loaded.zones[0].changes == 1)
            // Back as the file has it, and deleted again: the file has it still.
            _ = try await world.publisher.change(World.change("host", to: [192, 0, 2, 7]))
            _ = try await world.publisher.change(World.change("host", to: nil))
            #expect(world.store.rrsets.sets.values.map(\.records) == [[]])
            served = world.state.current.served
            #expect(served.changes[zone]?.sets.count == 1)
        }
    }

    @Test("a change that cannot be served leaves no history")
    func unserved() async throws {
        try await Self.inWorld { world in
            await world.fastPath.fail(at: [.change, .publish])
            await #expect(throws: ControlFailure.self) {
                _ = try await world.publisher.change(World.change("new", to: [192, 0, 2, 9]))
            }
            let history = try await world.store.recordHistory(RecordHistoryQuery(limit: 10))
            #expect(history == [])
        }
    }
}
