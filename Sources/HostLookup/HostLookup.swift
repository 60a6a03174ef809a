public import DNSWire
public import IPNetworks
import LinuxSupport

/// Finds the addresses of hosts, by asking recursive servers. Keeps what they said for its time to live.
///
///     addresses(of:) ── cached? ── yes ──────────────► answer
///                          │ no                          ▲
///                     running already? ── wait for it ───┤
///                          │ no                          │
///                     one of 16 places ── servers in order, silent ones last, UDP, then TCP if needed
///
/// Each purpose has its own places, so that neither waits for names of the other that no server answers.
public actor HostLookup {
    public enum Answer: Hashable, Sendable {
        /// - Parameter timeToLive: how long the answer is still good.
        case addresses([IPAddress], timeToLive: Duration)
        /// The name does not exist (NXDOMAIN).
        case noSuchName
        /// The name exists, but has no address of the family.
        case noData
        /// No server gave a usable reply. Nothing is known.
        case unanswered(String)
    }

    /// What became of a server.
    public enum News: Hashable, Sendable {
        /// Several questions in a row got no reply.
        case silent(LookupServer, reason: String)
        case answersAgain(LookupServer)
    }

    /// What addresses are needed for.
    public enum Purpose: Hashable, Sendable { case check, alias }

    private struct Places {
        var free = HostLookup.questionsAtOnce
        /// Those without a place, in the order in which they came.
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private struct Question: Hashable {
        let key: LookupKey
        let purpose: Purpose
    }

    /// Questions under way at the same time for one purpose.
    package static let questionsAtOnce = 16

    private let transport: any LookupTransport
    private let now: @Sendable () -> Int64
    private let servers: @Sendable () -> ServerList
    private let tell: @Sendable (News) -> Void
    private var reader: ServerReader
    /// Raised when other servers are to be asked: what the former ones say counts no more.
    private var era = 0
    private var silent = SilentServers()
    private var cache = LookupCache()
    private var running: [Question: Task<Answer, Never>] = [:]
    private var places: [Purpose: Places] = [:]

    /// - Parameters:
    ///   - servers: the servers to ask; called for each question.
    ///   - tell: called with what an operator should know.
    public init(
        servers: @escaping @Sendable () -> ServerList = { .system }, tell: @escaping @Sendable (News) -> Void = { _ in }
    ) {
        self.init(
            servers: servers, transport: SocketLookupTransport(), now: { MonotonicClock.nanoseconds }, tell: tell)
    }

    /// - Parameter now: nanoseconds of a clock that is never set.
    package init(
        servers: @escaping @Sendable () -> ServerList, transport: any LookupTransport,
        now: @escaping @Sendable () -> Int64, tell: @escaping @Sendable (News) -> Void = { _ in }
    ) {
        (self.servers, self.tell) = (servers, tell)
        reader = ServerReader(servers())
        self.transport = transport
        self.now = now
    }

    /// The addresses of `host`. An answer that was used in the last fifth of its life is looked up again meanwhile.
    public func addresses(of host: DomainName, family: IPFamily, for purpose: Purpose = .check) async -> Answer {
        let key = LookupKey(name: host, family: family)
        let question = Question(key: key, purpose: purpose)
        useServers()
        if let found = cache.find(key, at: now()) {
            if found.isDue { _ = lookUp(question) }
            return found.answer
        }
        return await lookUp(question).value
    }

    /// What other servers said is forgotten.
    private func useServers() {
        let wanted = servers()
        guard reader.list != wanted else { return }
        reader = ServerReader(wanted)
        (silent, cache, running) = (SilentServers(), LookupCache(), [:])
        era += 1
    }

    private func lookUp(_ question: Question) -> Task<Answer, Never> {
        if let task = running[question] { return task }
        let task = Task { await self.ask(question) }
        running[question] = task
        return task
    }

    private func ask(_ question: Question) async -> Answer {
        await takePlace(for: question.purpose)
        let asked = era
        let reply = await askServers(question.key)
        leavePlace(of: question.purpose)
        useServers()
        guard era == asked else { return await lookUp(question).value }
        running[question] = nil
        return cache.take(reply, for: question.key, at: now())
    }

    /// Places are given in the order in which they were asked for.
    private func takePlace(for purpose: Purpose) async {
        if places[purpose, default: Places()].free > 0 {
            places[purpose, default: Places()].free -= 1
        } else {
            await withCheckedContinuation { places[purpose]?.waiting.append($0) }
        }
    }

    private func leavePlace(of purpose: Purpose) {
        if places[purpose]?.waiting.isEmpty == false {
            places[purpose]?.waiting.removeFirst().resume()
        } else {
            places[purpose]?.free += 1
        }
    }

    private func askServers(_ key: LookupKey) async -> LookupReply {
        let list = reader.current()
        guard !list.isEmpty else { return .failed("there is no server to ask") }
        var reasons: [String] = []
        for server in silent.takeDue(of: list, at: now()) { Task { await self.ask(key, server) } }
        for server in silent.order(list) {
            let reply = await ask(key, server)
            guard case .failed(let reason) = reply else { return reply }
            reasons.append("\(server): \(reason)")
        }
        return .failed(reasons.joined(separator: "; "))
    }

    @discardableResult
    private func ask(_ key: LookupKey, _ server: LookupServer) async -> LookupReply {
        var random = SystemRandomNumberGenerator()
        do {
            let question = LookupQuestion(key.name, key.family, random: &random)
            let reply = try await firstReply(to: question, of: server)
            switch question.verdict(on: reply, overTCP: false) {
            case .reply, .bareError: return LookupReply(reply, to: question)
            case .unrelated: return .failed("the reply belongs to another question")
            case .needsTCP: break
            }
            let second = LookupQuestion(key.name, key.family, random: &random)
            let whole = try await transport.ask(second, server, overTCP: true)
            switch second.verdict(on: whole, overTCP: true) {
            case .reply, .bareError: return LookupReply(whole, to: second)
            case .unrelated, .needsTCP: return .failed("the reply belongs to another question")
            }
        } catch { return .failed("\(error)") }
    }

    /// The reply over UDP. It shows whether the server answers at all.
    private func firstReply(to question: LookupQuestion, of server: LookupServer) async throws -> [UInt8] {
        let (start, asked) = (now(), era)
        do {
            let reply = try await transport.ask(question, server, overTCP: false)
            if era == asked, silent.answered(server) { tell(.answersAgain(server)) }
            return reply
        } catch {
            if era == asked, silent.failed(server, from: start, at: now()) {
                tell(.silent(server, reason: "\(error)"))
            }
            throw error
        }
    }
}
