import ConfigurationModel
import ControlFailures
import ControlPlane
import DNSWire
import HostLookup
import IPNetworks
import Logging
import ModelCompiler
import StateStore
import Synchronization
import Testing
import Zones

/// A recursive server in memory, whose answers tests change.
private final class Zonefile: LookupTransport {
    private let addresses = Mutex<[String: [IPAddress]]?>([:])

    /// `nil`: no server answers.
    func set(_ addresses: [String: [IPAddress]]?) { self.addresses.withLock { $0 = addresses } }

    func ask(_ question: LookupQuestion, _ server: LookupServer, overTCP: Bool) async throws -> [UInt8] {
        guard let known = addresses.withLock({ $0 }) else { throw LookupFailure(description: "no reply in time") }
        let query = question.message
        let family: IPFamily = query[query.count - 3] == 1 ? .v4 : .v6
        let found = (known["\(question.name)"] ?? []).filter { $0.family == family }
        let owner = Array(query[12...].dropLast(4))
        let records = found.map { address in
            owner + query.suffix(4) + [0, 0, 0, 7, 0, UInt8(address.bytes.count)] + address.bytes
        }
        let code: UInt8 = known["\(question.name)"] == nil ? 3 : 0
        return query[0..<2] + [0x81, 0x80 | code, 0, 1, 0, UInt8(found.count), 0, 0, 0, 0] + query[12...]
            + records.joined()
    }
}

@Suite struct AliasTests {
    private static let yaml =
        World.yaml + "\naliases: [{name: example.com, target: cdn.example.net, ttl: 30, stale: 1m}]"
    private static let one = IPAddress.v4(0xcb00_7101)
    private static let two = IPAddress.v4(0xcb00_7102)

    private struct Town {
        let world: World
        let servers = Zonefile()
        let keeper: AliasKeeper
        let now = Atomic64()

        init() async throws {
            world = try await World(yaml: AliasTests.yaml)
            let fixed = ServerList.fixed([LookupServer(.v4(0x7f00_0001))])
            let lookup = HostLookup(servers: { fixed }, transport: servers, now: { [now] in now.value })
            keeper = AliasKeeper(
                publisher: world.publisher, lookup: lookup, state: world.state, logger: Logger(label: "test"),
                now: { [now] in now.value })
        }

        /// Looks until the condition holds.
        ///
        /// - Parameter seconds: by which the clock advances before each look.
        func until(advancing seconds: Int64 = 0, _ condition: () throws -> Bool) async throws {
            for _ in 0..<2_000 {
                now.advance(seconds: seconds)
                await keeper.look()
                if try condition() { return }
                try await Task.sleep(for: .milliseconds(1))
            }
            Issue.record("it does not come to that")
        }

        func served() throws -> [ZoneRRset] {
            let zone = try DomainName(World.zoneName)
            return world.state.current.served.loaded.zones[0].zone.rrsets(of: zone).filter {
                $0.type == .a || $0.type == .aaaa
            }
        }
    }

    /// A clock that tests set, in nanoseconds.
    private final class Atomic64: Sendable {
        private let time = Atomic<Int64>(1)
        var value: Int64 { time.load(ordering: .relaxed) }
        func advance(seconds: Int64) { time.add(seconds * 1_000_000_000, ordering: .relaxed) }
    }

    private static func inTown(_ body: (Town) async throws -> Void) async throws {
        let town = try await Town()
        defer { town.world.remove() }
        try await body(town)
    }

    @Test func `an apex has the addresses of its target, follows them, and keeps serial and history as they are`()
        async throws
    {
        try await Self.inTown { town in
            let serial = town.world.state.current.served.loaded.zones[0].serial
            town.servers.set(["cdn.example.net.": [Self.one, .v6(7)]])
            try await town.until { try town.served().count == 2 }
            #expect(try town.served().map(\.ttl) == [30, 30])
            #expect(try town.served().flatMap(\.records) == [Self.one.bytes, IPAddress.v6(7).bytes])
            #expect(await town.world.epoch != nil, "both paths agree")
            town.servers.set(["cdn.example.net.": [Self.two, Self.one]])
            town.now.advance(seconds: 8)
            try await town.until { try town.served().flatMap(\.records).count == 2 && town.served().count == 1 }
            #expect(town.world.state.current.served.loaded.zones[0].serial == serial)
            #expect(try await town.world.store.recordHistory(.init(limit: 10)).isEmpty)
            #expect(town.world.store.rrsets.sets.count == 1, "a restart answers without a lookup")
            let state = try #require(town.world.state.current.aliases.first)
            #expect(state.addresses == [Self.one, Self.two] && state.problem == nil && state.confirmed != nil)
        }
    }

    @Test func `without a server the last addresses stay, until they are too old`() async throws {
        try await Self.inTown { town in
            town.servers.set(["cdn.example.net.": [Self.one]])
            try await town.until { try town.served().count == 1 }
            town.servers.set(nil)
            town.now.advance(seconds: 50)
            try await town.until { town.world.state.current.aliases.first?.problem != nil }
            #expect(try town.served().count == 1)
            town.now.advance(seconds: 30)
            try await town.until { try town.served().isEmpty }
            town.servers.set(["cdn.example.net.": [Self.two]])
            try await town.until(advancing: 1) {
                try town.served().flatMap(\.records) == [Self.two.bytes]
                    && town.world.state.current.aliases.first?.problem == nil
            }
        }
    }

    @Test func `a target that does not exist leaves no address`() async throws {
        try await Self.inTown { town in
            town.servers.set(["cdn.example.net.": [Self.one]])
            try await town.until { try town.served().count == 1 }
            town.servers.set([:])
            town.now.advance(seconds: 70)
            try await town.until { try town.served().isEmpty }
            #expect(town.world.store.rrsets.sets.isEmpty)
        }
    }

    @Test func `records of an alias cannot be set, and what was kept goes with the alias`() async throws {
        try await Self.inTown { town in
            town.servers.set(["cdn.example.net.": [Self.one]])
            try await town.until { try town.served().count == 1 }
            let zone = try DomainName(World.zoneName)
            let own = RecordRequest(
                zone: zone, changes: [RRsetChange(owner: zone, type: .a, ttl: 60, records: [[192, 0, 2, 1]])],
                author: "ann")
            let failure = await #expect(throws: ControlFailure.self) { try await town.world.publisher.change(own) }
            #expect(failure?.message.contains("is an alias of cdn.example.net.") == true)
            let dropped = try await town.world.publisher.forget(zone, names: [zone], type: .a)
            #expect(dropped.changed == 1)
            try await town.until { try town.served().count == 1 }
            town.world.source.set(World.yaml)
            let reload = try await town.world.publisher.reload(.command)
            #expect(reload.changesAnything && reload.path == .none)
            try await town.until { try town.served().isEmpty }
            #expect(town.world.store.rrsets.sets.isEmpty && town.world.state.current.aliases.isEmpty)
        }
    }
}
