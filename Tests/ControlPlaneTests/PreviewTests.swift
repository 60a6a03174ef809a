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
            // The sample database is old.
            #expect(preview.warnings.map(\.lint.rawValue) == ["unused-policy", "geo-database-age"])
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

    @Test("of a reload names what the reload then names")
    func sameAsReload() async throws {
        let world = try await World()
        defer { world.remove() }
        try world.writeZone("new A 192.0.2.9")
        world.source.set(
            World.yaml.replacing("- {id: nearest}", with: "- {id: nearest}\n  - {id: spare}")
                + "\nlookup: {servers: [192.0.2.1]}\naliases: [{name: a.example.com, target: cdn.example.net}]\n")
        let preview = try await world.publisher.previewReload()
        let reload = try await world.publisher.reload(.command)
        #expect(reload.difference == preview.difference && reload.warnings == preview.warnings)
        #expect(reload.configuration.settings == ["lookup", "aliases"])
        #expect(preview.configuration.settings == reload.configuration.settings)
        #expect(reload.configuration.policies.added == ["spare"] && preview.configuration.policies.added == ["spare"])
        #expect(reload.configuration.pools == preview.configuration.pools)
        let again = try await world.publisher.reload(.command)
        #expect(!again.changesAnything && !again.configuration.isAny)
    }

    @Test("of a reload lists tailored records by name and type")
    func tailoredRecords() async throws {
        let records = """

              - {name: www.example.com, type: TXT, pool: web, policy: nearest}
              - {name: web.example.com, type: CNAME, pool: web, policy: nearest}
              - {name: _sip._tcp.example.com, type: SRV, port: 5060, pool: web, policy: nearest}
              - {name: mail.example.com, type: MX, pool: web, policy: nearest}
            """
        let yaml =
            World.yaml.replacing("id: ber, ", with: "id: ber, hostname: host.example.com, texts: [region=eu], ")
            .replacing("id: nyc, ", with: "id: nyc, hostname: ns1.example.com, texts: [region=us], ") + records
        let world = try await World(yaml: yaml)
        defer { world.remove() }
        func changes(_ yaml: String) async throws -> NameChanges {
            world.source.set(yaml)
            return try await world.publisher.previewReload().difference.tailored
        }
        let same = try await changes(yaml)
        #expect(same.total == 5 && same.count == 0)

        let policy = try await changes(yaml.replacing("{id: nearest}", with: "{id: nearest, ttl: {max: 120}}"))
        #expect(
            policy.changed == [
                "www.example.com.", "www.example.com. TXT", "web.example.com. CNAME", "_sip._tcp.example.com. SRV",
                "mail.example.com. MX",
            ])
        let port = try await changes(yaml.replacing("port: 5060", with: "port: 5061"))
        #expect(port.changed == ["_sip._tcp.example.com. SRV"] && port.count == 1)
        let text = try await changes(yaml.replacing("region=us", with: "region=na"))
        #expect(text.changed == ["www.example.com. TXT"] && text.count == 1)
        let other = try await changes(
            yaml.replacing("web.example.com, type: CNAME", with: "app.example.com, type: CNAME"))
        #expect(other.added == ["app.example.com. CNAME"] && other.removed == ["web.example.com. CNAME"])
        let removed = try await changes(World.yaml)
        #expect(removed.total == 1 && removed.removed.count == 4 && removed.changed.isEmpty)
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
