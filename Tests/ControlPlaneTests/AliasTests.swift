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
        let lookup: HostLookup
        let now = Atomic64()
        /// Seconds by which the clock of people is ahead of `now`.
        static let start: Int64 = 1_790_000_000

        init(_ yaml: String = AliasTests.yaml) async throws {
            world = try await World(yaml: yaml)
            let fixed = ServerList.fixed([LookupServer(.v4(0x7f00_0001))])
            let lookup = HostLookup(servers: { fixed }, transport: servers, now: { [now] in now.value })
            self.lookup = lookup
            keeper = Self.keeper(world, lookup, now)
        }

        private static func keeper(_ world: World, _ lookup: HostLookup, _ now: Atomic64) -> AliasKeeper {
            AliasKeeper(
                publisher: world.publisher, lookup: lookup, life: world.life, state: world.state,
                logger: Logger(label: "test") { [log = world.log] _ in log },
                now: { now.value }, date: { start * 1_000_000 + now.value / 1_000 })
        }

        /// Another process begins with what this one kept.
        func restarted() -> AliasKeeper { Self.keeper(world, lookup, now) }

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

        func served(_ name: String = World.zoneName) throws -> [ZoneRRset] {
            let owner = try DomainName(name)
            return world.state.current.served.loaded.zones[0].zone.rrsets(of: owner).filter {
                $0.type == .a || $0.type == .aaaa
            }
        }

        var states: [AliasState] { world.state.current.aliases }
    }

    /// A clock that tests set, in nanoseconds.
    private final class Atomic64: Sendable {
        private let time = Atomic<Int64>(1)
        var value: Int64 { time.load(ordering: .relaxed) }
        func advance(seconds: Int64) { time.add(seconds * 1_000_000_000, ordering: .relaxed) }
    }

    private static func inTown(_ yaml: String = yaml, _ body: (Town) async throws -> Void) async throws {
        let town = try await Town(yaml)
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
            let state = try #require(town.states.first)
            #expect(Set(state.addresses) == [Self.one, Self.two] && state.isServed)
            #expect(state.lookupProblem == nil && state.servingProblem == nil && state.confirmedAt != nil)
        }
    }

    @Test func `without a server the last addresses stay, until they are too old`() async throws {
        try await Self.inTown { town in
            town.servers.set(["cdn.example.net.": [Self.one]])
            try await town.until { try town.served().count == 1 }
            town.servers.set(nil)
            town.now.advance(seconds: 50)
            try await town.until { town.states.first?.lookupProblem != nil }
            #expect(try town.served().count == 1)
            town.now.advance(seconds: 30)
            try await town.until { try town.served().isEmpty }
            town.servers.set(["cdn.example.net.": [Self.two]])
            try await town.until(advancing: 1) {
                try town.served().flatMap(\.records) == [Self.two.bytes]
                    && town.states.first?.lookupProblem == nil
            }
        }
    }

    @Test func `the age of addresses counts over restarts`() async throws {
        try await Self.inTown { town in
            town.servers.set(["cdn.example.net.": [Self.one]])
            try await town.until {
                town.world.store.rrsets.sets.values.first?.answerEnds == (Town.start + 7) * 1_000_000
            }
            let key = try #require(town.world.store.rrsets.sets.keys.first)
            let serial = town.world.state.current.served.loaded.zones[0].serial
            town.now.advance(seconds: 4)
            for _ in 0..<3 { await town.keeper.look() }
            #expect(town.world.store.rrsets.sets[key]?.answerEnds == (Town.start + 7) * 1_000_000, "not with each look")
            town.now.advance(seconds: 10)
            try await town.until {
                town.world.store.rrsets.sets[key]?.answerEnds == (Town.start + 21) * 1_000_000
            }
            #expect(town.world.state.current.served.loaded.zones[0].serial == serial)
            town.servers.set(nil)
            for seconds in [22, 30, 16] as [Int64] {
                town.now.advance(seconds: seconds)
                let keeper = town.restarted()
                for _ in 0..<50 {
                    await keeper.look()
                    try await Task.sleep(for: .milliseconds(1))
                }
                #expect(try town.served().isEmpty == (seconds == 16))
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

    @Test func `records of an alias cannot be set or dropped, and what was kept goes with the alias`() async throws {
        try await Self.inTown { town in
            town.servers.set(["cdn.example.net.": [Self.one]])
            try await town.until { try town.served().count == 1 }
            let zone = try DomainName(World.zoneName)
            let own = RecordRequest(
                zone: zone, changes: [RRsetChange(owner: zone, type: .a, ttl: 60, records: [[192, 0, 2, 1]])],
                author: "ann")
            let failure = await #expect(throws: ControlFailure.self) { try await town.world.publisher.change(own) }
            #expect(failure?.message.contains("is an alias of cdn.example.net.") == true)
            for (names, type) in [([zone], RecordType.a), ([], nil)] as [([DomainName], RecordType?)] {
                let dropped = try await town.world.publisher.forget(zone, names: names, type: type)
                #expect(try dropped.changed == 0 && town.served().count == 1)
            }
            town.world.source.set(World.yaml)
            let reload = try await town.world.publisher.reload(.command)
            #expect(reload.changesAnything && reload.path == .none)
            try await town.until { try town.served().isEmpty }
            #expect(town.world.store.rrsets.sets.isEmpty && town.world.state.current.aliases.isEmpty)
        }
    }

    @Test func `a record change that an alias replaces is told, and stays in the history`() async throws {
        try await Self.inTown(World.yaml) { town in
            let zone = try DomainName(World.zoneName)
            let own = RRsetChange(owner: zone, type: .a, ttl: 60, records: [[192, 0, 2, 1]])
            _ = try await town.world.publisher.change(RecordRequest(zone: zone, changes: [own], author: "ann"))
            town.world.source.set(Self.yaml)
            _ = try await town.world.publisher.reload(.command)
            for address in [Self.one, Self.two] {
                town.servers.set(["cdn.example.net.": [address]])
                town.now.advance(seconds: 8)
                try await town.until { try town.served().flatMap(\.records) == [address.bytes] }
            }
            #expect(town.world.log.messages(.warning) == ["alias replaces a record change"])
            let history = try await town.world.store.recordHistory(.init(limit: 10))
            #expect(history.map(\.author) == ["alias of cdn.example.net.", "ann"])
            #expect(history.first?.before == history.last?.after && history.last?.after != nil)
        }
    }

    @Test func `a first lookup is waited for where a name has no addresses, and its answer is published at once`()
        async throws
    {
        try await Self.inTown { town in
            town.servers.set(["cdn.example.net.": [Self.one]])
            await town.keeper.prepare(within: .seconds(60))
            await town.keeper.look()
            let served = try town.served()
            #expect(served.flatMap(\.records) == [Self.one.bytes])
            // A name that has addresses waits for nothing.
            let restarted = town.restarted()
            await restarted.prepare(within: .seconds(600))
        }
    }

    @Test func `without addresses the log does not say that any stay`() async throws {
        try await Self.inTown { town in
            town.servers.set(nil)
            try await town.until { town.world.log.messages(.error).count == 2 }
            #expect(Set(town.world.log.messages(.error)) == ["alias cannot be resolved, it has no addresses"])
        }
    }

    @Test func `what a caller sets at the name of a former alias stays`() async throws {
        try await Self.inTown { town in
            town.servers.set(["cdn.example.net.": [Self.one, .v6(7)]])
            try await town.until { try town.served().count == 2 }
            town.world.source.set(World.yaml)
            _ = try await town.world.publisher.reload(.command)
            let zone = try DomainName(World.zoneName)
            let own = RecordRequest(
                zone: zone, changes: [RRsetChange(owner: zone, type: .a, ttl: 60, records: [[192, 0, 2, 1]])],
                author: "ann")
            _ = try await town.world.publisher.change(own)
            try await town.until { try town.served().map(\.type) == [.a] }
            for _ in 0..<3 { await town.keeper.look() }
            #expect(try town.served().flatMap(\.records) == [[192, 0, 2, 1]])
            #expect(town.world.store.rrsets.sets.values.map(\.author) == ["ann"])
        }
    }

    // MARK: - What cannot be served

    @Test func `a file that leaves no place for the addresses is taken when the alias is gone`() async throws {
        let yaml = World.yaml + "\naliases: [{name: c.example.com, target: cdn.example.net}]"
        try await Self.inTown(yaml) { town in
            town.servers.set(["cdn.example.net.": [Self.one]])
            try await town.until { try town.served("c.example.com").count == 1 }
            try town.world.writeZone("c IN CNAME host")
            let problems = try await town.world.publisher.reload(.command).problems.joined()
            #expect(
                problems.contains("c.example.com. A, addresses of an alias, conflicts with the file"), "\(problems)")
            #expect(problems.contains("remove c.example.com. from aliases"), "\(problems)")
            town.world.source.set(World.yaml)
            _ = try await town.world.publisher.reload(.command)
            let owner = try DomainName("c.example.com")
            try await town.until {
                town.world.state.current.served.loaded.zones[0].zone.rrsets(of: owner).map(\.type) == [.cname]
            }
        }
    }

    @Test func `an alias that its zone refuses says so, and keeps no other alias from its addresses`() async throws {
        let yaml =
            World.yaml
                + """

                aliases:
                  - {name: c.example.com, target: cdn.example.net}
                  - {name: example.com, target: cdn.example.net}
                """
        try await Self.inTown(yaml) { town in
            let owner = try DomainName("c.example.com")
            func setCNAME(_ records: [[UInt8]]) async throws {
                let change = RRsetChange(owner: owner, type: .cname, ttl: 60, records: records)
                _ = try await town.world.publisher.change(
                    RecordRequest(zone: try DomainName(World.zoneName), changes: [change], author: "ann"))
            }
            try await setCNAME([DomainName("host.example.com").wire])
            town.servers.set(["cdn.example.net.": [Self.one]])
            try await town.until { try town.served().count == 1 && town.states.first?.servingProblem != nil }
            let (refused, good) = (town.states[0], town.states[1])
            #expect(refused.addresses.isEmpty && !refused.isServed && refused.lookupProblem == nil)
            let problem = try #require(refused.servingProblem)
            #expect(
                problem.hasPrefix("A: ") && problem.hasSuffix("(change its zone, or remove the alias)"), "\(problem)")
            #expect(good.addresses == [Self.one] && good.isServed && good.servingProblem == nil)
            let message = "addresses of the alias cannot be served"
            #expect(town.world.log.messages(.error) == [message])
            town.servers.set(["cdn.example.net.": [Self.two]])
            town.now.advance(seconds: 61)
            try await town.until { try town.served().flatMap(\.records) == [Self.two.bytes] }
            #expect(town.world.log.messages(.error) == [message], "the same refusal is logged once")
            try await setCNAME([])
            town.now.advance(seconds: 61)
            try await town.until { try town.served("c.example.com").count == 1 && town.states[0].isServed }
            #expect(town.states[0].servingProblem == nil)
            #expect(town.world.log.messages(.notice).contains("addresses of the alias are served again"))
        }
    }

    @Test func `a store that cannot be written is a problem of the alias, and a stop is none`() async throws {
        try await Self.inTown { town in
            town.servers.set(["cdn.example.net.": [Self.one]])
            town.world.store.fail(true)
            try await town.until { town.states.first?.servingProblem?.contains("cannot be written") == true }
            #expect(town.states.first?.isServed == false && town.world.log.messages(.error).count == 1)
            town.world.store.fail(false)
            try await town.until(advancing: 10) { try town.served().count == 1 && town.states.first?.isServed == true }
            #expect(town.states.first?.servingProblem == nil)
            town.world.life.change { $0.stop() }
            town.servers.set(["cdn.example.net.": [Self.two]])
            try await town.until(advancing: 10) { town.states.first?.isServed == false }
            for _ in 0..<3 { await town.keeper.look() }
            #expect(town.states.first?.servingProblem == nil && town.world.log.messages(.error).count == 1)
        }
    }
}
