import ControlFailures
import ControlPlane
import DNSWire
import Foundation
import Lints
import ModelCompiler
import Resolution
import StateStore
import Testing
import Zones

@Suite("A dry run")
struct PreviewTests {
    /// Runs a test in a world of its own, and makes sure that nothing has changed there.
    private static func unchanged(_ body: (World) async throws -> Void) async throws {
        let world = try await World()
        defer { world.remove() }
        let before = world.state.current
        try await body(world)
        let after = world.state.current
        #expect(after.revision == before.revision)
        #expect(after.served.loaded.model.digest == before.served.loaded.model.digest)
        #expect(await world.epoch == 1)
        #expect(await world.fastPath.calls.isEmpty)
        #expect(world.store.rrsets.sets.isEmpty && world.store.rrsets.serials.isEmpty)
        #expect(world.events.recent(after: 0)?.isEmpty == true)
    }

    @Test("of a reload says what would change, by section, and changes nothing")
    func reload() async throws {
        try await Self.unchanged { world in
            let same = try await world.publisher.previewReload()
            #expect(!same.changesAnything && same.zones.isEmpty && same.epoch == 1)

            try world.writeZone("new A 192.0.2.9\nhost A 192.0.2.8")
            world.source.set(
                World.yaml
                    .replacing("- {id: nearest}", with: "- {id: nearest, ttl: {max: 120}}\n  - {id: spare}")
                    .replacing("198.51.100.20", with: "198.51.100.21")
                    + "\nrate_limit: {responses_per_second: 9}\n")
            let preview = try await world.publisher.previewReload()
            #expect(preview.changesAnything)
            #expect(preview.difference.zones.changed == ["example.com."])
            #expect(preview.difference.nodes.changed == ["nyc"])
            #expect(preview.configuration.policies.changed == ["nearest"])
            #expect(preview.configuration.policies.added == ["spare"])
            #expect(preview.configuration.pools.count == 0)
            #expect(preview.configuration.settings == ["rate_limit"])
            #expect(preview.warnings.map(\.lint.rawValue) == ["unused-policy"])
            let zone = try #require(preview.zones.first)
            #expect(zone.serial == 1 && zone.nextSerial == 2)
            #expect(zone.added == 3 && zone.removed == 1)
            #expect(
                zone.sets.map { "\($0.owner) \($0.type) \($0.before.records.count) \($0.after.records.count)" }.sorted()
                    == [
                        "example.com. SOA 1 1", "host.example.com. A 1 2", "new.example.com. A 0 1",
                    ])
        }
    }

    @Test("of a reload fails as the reload would")
    func refusedReload() async throws {
        try await Self.unchanged { world in
            world.source.set(World.yaml + "\nnods: []\n")
            await #expect(throws: ControlFailure.self) { try await world.publisher.previewReload() }
        }
    }

    @Test("of record changes says which RRsets would differ, and changes nothing")
    func records() async throws {
        try await Self.unchanged { world in
            let added = try await world.publisher.preview(World.change("new", to: [192, 0, 2, 9]))
            #expect(added.serial == 1 && added.nextSerial == 2)
            #expect(added.sets.map(\.after.records) == [[[192, 0, 2, 9]]] && added.sets[0].before.records.isEmpty)
            let removed = try await world.publisher.preview(World.change("host", to: nil))
            #expect(removed.sets.map(\.before.records) == [[[192, 0, 2, 7]]] && removed.sets[0].after.records.isEmpty)
            let nothing = try await world.publisher.preview(World.change("absent", to: nil))
            #expect(nothing.sets.isEmpty && nothing.nextSerial == 1)
            let request = try World.change("www", to: [192, 0, 2, 9])
            await #expect(throws: ControlFailure.self) { try await world.publisher.preview(request) }
        }
    }
}
