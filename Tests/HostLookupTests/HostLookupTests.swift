import DNSWire
import HostLookup
import IPNetworks
import Synchronization
import Testing

@Suite struct HostLookupTests {
    private let clock = FakeClock()
    private let host: DomainName
    private let first: IPAddress

    init() throws {
        host = try DomainName("host.example")
        first = try address("192.0.2.1")
    }

    private func lookup(_ transport: FakeTransport, servers: Int = 1) throws -> HostLookup {
        let list = try (1...servers).map { LookupServer(try address("198.51.100.\($0)")) }
        return HostLookup(servers: { .fixed(list) }, transport: transport, now: { [clock] in clock.now })
    }

    /// Waits for what a background task does, for at most five seconds.
    private func eventually(_ condition: () -> Bool) async throws -> Bool {
        for _ in 0..<500 {
            if condition() { return true }
            try await Task.sleep(for: .milliseconds(10))
        }
        return false
    }

    @Test func `an answer is kept for its TTL, and is looked up again when used in its last fifth`() async throws {
        let transport = FakeTransport { question, _, _ in
            Reply(answers: [try Reply.a("host.example", 1, ttl: 100)]).message(to: question)
        }
        let lookup = try lookup(transport)
        #expect(await lookup.addresses(of: host, family: .v4) == .addresses([first], timeToLive: .seconds(100)))
        clock.advance(seconds: 79)
        #expect(await lookup.addresses(of: host, family: .v4) == .addresses([first], timeToLive: .seconds(21)))
        #expect(transport.asked.count == 1)
        clock.advance(seconds: 1)
        #expect(await lookup.addresses(of: host, family: .v4) == .addresses([first], timeToLive: .seconds(20)))
        #expect(try await eventually { transport.asked.count == 2 })
    }

    @Test(arguments: [(0, 5), (3600, 3600), (100_000, 3600)] as [(UInt32, Int64)])
    func `the TTL of addresses is held to 5 seconds and 1 hour`(ttl: UInt32, life: Int64) async throws {
        let transport = FakeTransport { question, _, _ in
            Reply(answers: [try Reply.a("host.example", 1, ttl: ttl)]).message(to: question)
        }
        let answer = try await lookup(transport).addresses(of: host, family: .v4)
        #expect(answer == .addresses([first], timeToLive: .seconds(life)))
    }

    @Test(arguments: [(0, 5), (100_000, 300)] as [(UInt32, Int64)])
    func `negative answers are kept for 5 seconds to 5 minutes`(seconds: UInt32, life: Int64) {
        var cache = LookupCache()
        let key = LookupKey(name: host, family: .v6)
        #expect(cache.take(.noData(seconds: seconds), for: key, at: 0) == .noData)
        #expect(cache.find(key, at: life * LookupCache.second - 1) != nil)
        #expect(cache.find(key, at: life * LookupCache.second) == nil)
    }

    @Test func `the cache keeps a thousand answers, those used last`() throws {
        var cache = LookupCache()
        let keys = try (0...LookupCache.limit).map { LookupKey(name: try DomainName("n\($0)"), family: .v4) }
        for (time, key) in keys.dropLast().enumerated() {
            _ = cache.take(.addresses([first], seconds: 60), for: key, at: Int64(time))
        }
        #expect(cache.find(keys[0], at: 2000) != nil)
        _ = cache.take(.noData(seconds: 60), for: keys[LookupCache.limit], at: 2001)
        #expect(cache.count == LookupCache.limit)
        #expect(cache.find(keys[0], at: 2002) != nil)
        #expect(cache.find(keys[1], at: 2002) == nil)
    }

    @Test func `a failed refresh leaves the answer for the rest of its life`() async throws {
        let fails = Atomic(false)
        let transport = FakeTransport { question, _, _ in
            if fails.load(ordering: .relaxed) { throw LookupFailure(description: "no reply in time") }
            return Reply(answers: [try Reply.a("host.example", 1, ttl: 100)]).message(to: question)
        }
        let lookup = try lookup(transport)
        _ = await lookup.addresses(of: host, family: .v4)
        fails.store(true, ordering: .relaxed)
        clock.advance(seconds: 90)
        #expect(await lookup.addresses(of: host, family: .v4) == .addresses([first], timeToLive: .seconds(10)))
        #expect(try await eventually { transport.asked.count == 2 })
        clock.advance(seconds: 10)
        let reason = "198.51.100.1: no reply in time"
        #expect(await lookup.addresses(of: host, family: .v4) == .unanswered(reason))
        let asked = transport.asked.count
        clock.advance(seconds: 4)
        #expect(await lookup.addresses(of: host, family: .v4) == .unanswered(reason))
        #expect(transport.asked.count == asked)
    }

    @Test func `the next server is asked when one fails or answers with an error`() async throws {
        let transport = FakeTransport { question, server, _ in
            switch "\(server)" {
            case "198.51.100.1": throw LookupFailure(description: "no reply in time")
            case "198.51.100.2": Reply(flags: 0x8182).message(to: question)
            default: Reply(answers: [try Reply.a("host.example", 1)]).message(to: question)
            }
        }
        let answer = try await lookup(transport, servers: 3).addresses(of: host, family: .v4)
        #expect(answer == .addresses([first], timeToLive: .seconds(60)))
        #expect(transport.asked.map(\.server) == (1...3).map { "198.51.100.\($0)" })
    }

    @Test func `a server that stays silent delays one lookup only, and is tried again on the side`() async throws {
        let isSilent = Atomic(true)
        let transport = FakeTransport { question, server, _ in
            if isSilent.load(ordering: .relaxed), "\(server)" == "198.51.100.1" {
                throw LookupFailure(description: "no reply in time")
            }
            return Reply(answers: [try Reply.a("host.example", 1, ttl: 5)]).message(to: question)
        }
        let news = Mutex<[HostLookup.News]>([])
        let list = [LookupServer(try address("198.51.100.1")), LookupServer(try address("198.51.100.2"))]
        let lookup = HostLookup(
            servers: { .fixed(list) }, transport: transport, now: { [clock] in clock.now },
            tell: { told in news.withLock { $0.append(told) } })
        func ask(after seconds: Int64) async -> [String] {
            clock.advance(seconds: seconds)
            let earlier = transport.asked.count
            #expect(await lookup.addresses(of: host, family: .v4) == .addresses([first], timeToLive: .seconds(5)))
            return transport.asked.dropFirst(earlier).map(\.server)
        }
        #expect(await ask(after: 0) == ["198.51.100.1", "198.51.100.2"])
        #expect(await ask(after: 10) == ["198.51.100.2"])
        #expect(news.withLock { $0 }.isEmpty, "one lost packet is no news")
        _ = await ask(after: 60)
        #expect(try await eventually { !news.withLock { $0 }.isEmpty })
        #expect(news.withLock { $0 } == [.silent(list[0], reason: "no reply in time")])
        #expect(await ask(after: 10) == ["198.51.100.2"])
        isSilent.store(false, ordering: .relaxed)
        _ = await ask(after: 120)
        #expect(try await eventually { news.withLock { $0.last } == .answersAgain(list[0]) })
        #expect(await ask(after: 10) == ["198.51.100.1"])
    }

    @Test func `silent servers are asked last, and the pause grows with each question that gets no reply`() throws {
        let (one, two) = (LookupServer(try address("198.51.100.1")), LookupServer(try address("198.51.100.2")))
        var silent = SilentServers()
        #expect(silent.failed(one, from: 0, at: 2) == false)
        #expect(silent.failed(one, from: 1, at: 3) == false, "it ran at the same time")
        #expect(silent.order([one, two]) == [two, one])
        var (time, tells) = (2 as Int64, true)
        for pause in [60, 120, 240, 480, 600, 600] as [Int64] {
            time += pause * SilentServers.second
            #expect(silent.takeDue(of: [one, two], at: time - 1).isEmpty)
            #expect(silent.takeDue(of: [one, two], at: time) == [one])
            #expect(silent.takeDue(of: [one, two], at: time).isEmpty)
            #expect(silent.failed(one, from: time, at: time) == tells)
            tells = false
        }
        _ = silent.failed(two, from: 0, at: 0)
        #expect(silent.order([one, two]) == [one, two])
        #expect(silent.takeDue(of: [one, two], at: .max).isEmpty, "all are asked anyway")
        #expect(silent.answered(one) && !silent.answered(two))
    }

    @Test func `other servers are asked at once, and what the former ones said is forgotten`() async throws {
        let isSecond = Atomic(false)
        let transport = FakeTransport { question, server, _ in
            Reply(answers: [try Reply.a("host.example", "\(server)".hasSuffix(".2") ? 2 : 1, ttl: 3600)])
                .message(to: question)
        }
        let lists = [
            ServerList.fixed([LookupServer(try address("198.51.100.1"))]),
            .fixed([LookupServer(try address("198.51.100.2"))]),
        ]
        let lookup = HostLookup(
            servers: { lists[isSecond.load(ordering: .relaxed) ? 1 : 0] }, transport: transport,
            now: { [clock] in clock.now })
        #expect(await lookup.addresses(of: host, family: .v4) == .addresses([first], timeToLive: .seconds(3600)))
        isSecond.store(true, ordering: .relaxed)
        let second = try address("192.0.2.2")
        #expect(await lookup.addresses(of: host, family: .v4) == .addresses([second], timeToLive: .seconds(3600)))
    }

    @Test func `an answer that a former server gives late is not taken`() async throws {
        let isSecond = Atomic(false)
        let transport = FakeTransport { question, server, _ in
            let isFormer = "\(server)".hasSuffix(".1")
            if isFormer { isSecond.store(true, ordering: .relaxed) }
            return Reply(answers: [try Reply.a("host.example", isFormer ? 9 : 1, ttl: 60)]).message(to: question)
        }
        let lists = [
            ServerList.fixed([LookupServer(try address("198.51.100.1"))]),
            .fixed([LookupServer(try address("198.51.100.2"))]),
        ]
        let lookup = HostLookup(
            servers: { lists[isSecond.load(ordering: .relaxed) ? 1 : 0] }, transport: transport,
            now: { [clock] in clock.now })
        #expect(await lookup.addresses(of: host, family: .v4) == .addresses([first], timeToLive: .seconds(60)))
        #expect(transport.asked.map(\.server) == ["198.51.100.1", "198.51.100.2"])
    }

    @Test func `a truncated reply is asked for over TCP, once`() async throws {
        let transport = FakeTransport { question, _, overTCP in
            overTCP
                ? Reply(answers: [try Reply.a("host.example", 1)]).message(to: question)
                : Reply(flags: 0x8380).message(to: question)
        }
        let answer = try await lookup(transport).addresses(of: host, family: .v4)
        #expect(answer == .addresses([first], timeToLive: .seconds(60)))
        #expect(transport.asked.map(\.overTCP) == [false, true])
    }

    @Test func `at most 16 questions run at once, and each name is asked for once`() async throws {
        let running = Atomic(0)
        let most = Atomic(0)
        let transport = FakeTransport { question, _, _ in
            most.max(running.add(1, ordering: .relaxed).newValue, ordering: .relaxed)
            try await Task.sleep(for: .milliseconds(20))
            running.subtract(1, ordering: .relaxed)
            return Reply(flags: 0x8183).message(to: question)
        }
        let lookup = try lookup(transport)
        await withTaskGroup { group in
            for index in 0..<80 {
                group.addTask {
                    guard let name = try? DomainName("n\(index % 40)") else { return }
                    _ = await lookup.addresses(of: name, family: .v4)
                }
            }
        }
        #expect(transport.asked.count == 40)
        #expect(most.load(ordering: .relaxed) == HostLookup.questionsAtOnce)
    }

    @Test func `names for aliases that no server answers keep no check waiting`() async throws {
        let transport = FakeTransport { question, _, _ in
            if "\(question.name)".hasPrefix("dead") { try await Task.sleep(for: .seconds(600)) }
            return Reply(answers: [try Reply.a("host.example", 1)]).message(to: question)
        }
        let lookup = try lookup(transport)
        let waiting = (0..<40).map { index in
            Task { await lookup.addresses(of: try DomainName("dead\(index)"), family: .v4, for: .alias) }
        }
        #expect(try await eventually { transport.asked.count == HostLookup.questionsAtOnce })
        // The same name for both: the check waits for no place of an alias.
        let alias = Task { await lookup.addresses(of: host, family: .v4, for: .alias) }
        let found = Task { await lookup.addresses(of: host, family: .v4) }
        let limit = Task {
            try await Task.sleep(for: .seconds(20))
            Issue.record("the check waits")
        }
        #expect(await found.value == .addresses([first], timeToLive: .seconds(60)))
        limit.cancel()
        for task in waiting { task.cancel() }
        alias.cancel()
    }

    @Test func `without servers nothing is known`() async throws {
        let lookup = HostLookup(servers: { .fixed([]) })
        #expect(await lookup.addresses(of: host, family: .v4) == .unanswered("there is no server to ask"))
    }
}
