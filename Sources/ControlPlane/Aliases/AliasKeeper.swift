import ConfigurationModel
import ControlFailures
import DNSWire
import Foundation
package import HostLookup
import IPNetworks
import LinuxSupport
package import Logging
import ModelCompiler
import Resolution
import ServiceLifecycle
import Zones

/// Keeps the addresses of aliases: looks up their targets when the last answer ends, and publishes what differs from what
/// is served. The journal has what was published, so a restart needs no lookup to answer.
package actor AliasKeeper: Service {
    /// Why the addresses of an alias are not served.
    private struct Refusal {
        let problem: String
        /// When they are published again.
        let endsAt: Int64
    }

    private static let tick = Duration.seconds(1)
    /// In a log entry.
    private static let shownAddresses = 12
    private static let refusalPause: Int64 = 60_000_000_000
    private static let storePause: Int64 = 10_000_000_000
    /// In microseconds.
    private static let year: Int64 = 366 * 86_400_000_000

    private let publisher: Publisher
    private let lookup: HostLookup
    private let life: LifeCycle
    private let state: StateCell
    private let logger: Logger
    private let now: @Sendable () -> Int64
    private let date: @Sendable () -> Int64
    private var table = AliasTable()
    /// By the names of the aliases.
    private var refusals: [DomainName: Refusal] = [:]
    /// The revision of the state in which nothing of former aliases was left. `nil`: something was, or nothing is known.
    private var cleanRevision: Int?
    /// Why what is left of former aliases cannot be removed.
    private var leftoverRefusal: Refusal?
    /// When the ends of answers are stored again, after the store could not be written.
    private var storesAt: Int64 = 0
    /// The servers that are asked. `nil`: none were yet.
    private var servers: [SocketEndpoint]?
    /// Whether there was an answer that was not published yet.
    private var hasNews = false
    private var sleeping: Task<Void, any Error>?

    /// - Parameters:
    ///   - now: nanoseconds of a clock that is never set.
    ///   - date: microseconds since 1970.
    package init(
        publisher: Publisher, lookup: HostLookup, life: LifeCycle, state: StateCell, logger: Logger,
        now: @escaping @Sendable () -> Int64 = { MonotonicClock.nanoseconds },
        date: @escaping @Sendable () -> Int64 = { Date().microseconds }
    ) {
        (self.publisher, self.lookup, self.life, self.state) = (publisher, lookup, life, state)
        (self.logger, self.now, self.date) = (logger, now, date)
    }

    package func run() async throws {
        try? await cancelWhenGracefulShutdown {
            while true {
                await self.look()
                try await self.pause()
            }
        }
    }

    /// Waits for a tick, or for an answer.
    private func pause() async throws {
        let sleep = Task { try await Task.sleep(for: Self.tick) }
        if hasNews { sleep.cancel() }
        sleeping = sleep
        _ = await withTaskCancellationHandler {
            await sleep.result
        } onCancel: {
            sleep.cancel()
        }
        hasNews = false
        try Task.checkCancellation()
    }

    /// Begins the first lookups, and waits for those of names that would have no addresses until then: a client would
    /// remember that they have none. Serves nothing.
    package func prepare(within limit: Duration = .seconds(2)) async {
        let served = state.current.served
        let aliases = served.loaded.configuration.aliases
        let bare = aliases.filter { served.loaded.model.zones.addressSets(of: $0.name).isEmpty }
        guard !bare.isEmpty else { return }
        follow(aliases)
        beginLookups()
        let (end, keys) = (ContinuousClock.now + limit, bare.flatMap(AliasTable.keys))
        while ContinuousClock.now < end, !keys.allSatisfy(table.isAnswered) {
            try? await Task.sleep(for: .milliseconds(10))
        }
    }

    private func beginLookups() {
        for key in table.due(at: now()) {
            Task { take(await lookup.addresses(of: key.target, family: key.family, for: .alias), for: key) }
        }
    }

    /// Begins the lookups that are due, and publishes what is known.
    package func look() async {
        let aliases = state.current.served.loaded.configuration.aliases
        follow(aliases)
        beginLookups()
        for key in table.expire(at: now()) { tell(.withdrawn, key) }
        await publish(aliases)
        await storeAnswerEnds(of: aliases)
        await forgetOthers()
        let states = states(aliases)
        if states != state.current.aliases { state.update { $0.aliases = states } }
    }

    private func take(_ answer: HostLookup.Answer, for key: AliasTable.Key) {
        for news in table.take(answer, for: key, at: now()) { tell(news, key) }
        hasNews = true
        sleeping?.cancel()
    }

    private func tell(_ news: AliasTable.News, _ key: AliasTable.Key) {
        var metadata: Logger.Metadata = [
            "alias": "\(key.name)", "target": "\(key.target)", "family": "\(key.family.name)",
        ]
        switch news {
        case .resolved(let addresses):
            metadata["addresses"] = "\(addresses.prefix(Self.shownAddresses).map { "\($0)" }.joined(separator: " "))"
            metadata["count"] = "\(addresses.count)"
            logger.info("alias resolved", metadata: metadata)
        case .recovered: logger.notice("alias can be resolved again", metadata: metadata)
        case .failed(let reason):
            metadata["error"] = "\(reason)"
            let type = RecordType(addressesOf: key.family)
            let sets = state.current.served.loaded.model.zones.addressSets(of: key.name)
            let hasAddresses = sets.contains { $0.type == type }
            logger.error(
                hasAddresses
                    ? "alias cannot be resolved, its last addresses stay"
                    : "alias cannot be resolved, it has no addresses",
                metadata: metadata)
        case .withdrawn:
            logger.error("alias was not resolved for too long: its addresses are withdrawn", metadata: metadata)
        }
    }

    /// As published: each alias in the configuration's order.
    private func states(_ aliases: [AliasSettings]) -> [AliasState] {
        let zones = state.current.served.loaded.model.zones
        return aliases.map { alias in
            let (sets, known) = (zones.addressSets(of: alias.name), table.knowledge(of: alias))
            return AliasState(
                name: alias.name, target: alias.target,
                addresses: sets.flatMap(\.records).compactMap { IPAddress(bytes: $0) }, confirmedAt: known.confirmedAt,
                lookupProblem: known.problem, servingProblem: refusals[alias.name]?.problem,
                isServed: changes(of: alias, zones).isEmpty)
        }
    }

    // MARK: - Publishing

    /// One request for each alias, so that none fails because of another. The publisher makes one round of them.
    private func publish(_ aliases: [AliasSettings]) async {
        refusals = refusals.filter { refused in aliases.contains { $0.name == refused.key } }
        // During a handover or stop the successor publishes.
        guard life.current.publishingRefusal == nil else { return }
        let (zones, time) = (state.current.served.loaded.model.zones, now())
        var requests: [(alias: DomainName, request: RecordRequest)] = []
        for alias in aliases {
            let changes = changes(of: alias, zones)
            guard !changes.isEmpty, let zone = zones.zone(of: alias.name)?.apex else {
                note(nil, of: alias.name)
                continue
            }
            guard refusals[alias.name]?.endsAt ?? 0 <= time else { continue }
            warnOfReplaced(changes, by: alias, in: zone)
            requests.append(
                (alias.name, RecordRequest(zone: zone, changes: changes, .alias, author: "alias of \(alias.target)")))
        }
        await withTaskGroup(of: (DomainName, ControlFailure?).self) { group in
            for (alias, request) in requests {
                group.addTask { [publisher] in
                    do throws(ControlFailure) {
                        _ = try await publisher.change(request)
                        return (alias, nil)
                    } catch { return (alias, error) }
                }
            }
            for await (alias, failure) in group { note(failure, of: alias) }
        }
    }

    /// A caller's record change does not come back when the alias is removed, so the log says that it is replaced.
    private func warnOfReplaced(_ changes: [RRsetChange], by alias: AliasSettings, in zone: DomainName) {
        // Told when it was refused.
        guard refusals[alias.name] == nil else { return }
        for change in changes {
            let key = RRsetKey(owner: alias.name.lowercasedWire, type: change.type)
            guard let set = state.current.served.changes[zone]?[key], !set.isOfAlias else { continue }
            logger.warning(
                "alias replaces a record change",
                metadata: [
                    "alias": "\(alias.name)", "type": "\(change.type)", "author": "\(set.author ?? "")",
                ])
        }
    }

    /// What an alias's name needs to have the addresses that are known.
    private func changes(of alias: AliasSettings, _ zones: ZoneSet) -> [RRsetChange] {
        let sets = zones.addressSets(of: alias.name)
        return AliasTable.keys(of: alias).compactMap { key in
            guard let wanted = table.wanted(key) else { return nil }
            let change = RRsetChange(
                owner: alias.name, type: RecordType(addressesOf: key.family), ttl: alias.ttl,
                records: wanted.map(\.bytes))
            let isServed =
                sets.first { $0.type == change.type }
                .map { $0.ttl == change.ttl && Set($0.records) == Set(change.records) } ?? wanted.isEmpty
            return isServed ? nil : change
        }
    }

    /// - Parameter failure: why the addresses could not be published; `nil`: they are served.
    private func note(_ failure: ControlFailure?, of alias: DomainName) {
        guard let failure else {
            if refusals.removeValue(forKey: alias) != nil {
                logger.notice("addresses of the alias are served again", metadata: ["alias": "\(alias)"])
            }
            return
        }
        guard !isForSuccessor(failure) else { return }
        let problem = "\(failure)"
        if refusals[alias]?.problem != problem {
            logger.error(
                "addresses of the alias cannot be served", metadata: ["alias": "\(alias)", "error": "\(problem)"])
        }
        refusals[alias] = Refusal(problem: problem, endsAt: now() + Self.refusalPause)
    }

    /// Whether a failure came from a handover or stop that has begun meanwhile.
    private func isForSuccessor(_ failure: ControlFailure) -> Bool {
        failure.code == .unavailable && life.current.publishingRefusal != nil
    }

    // MARK: - The age of addresses

    private func follow(_ aliases: [AliasSettings]) {
        let (time, date, served) = (now(), date(), state.current.served)
        let servers = served.loaded.configuration.lookup.servers
        if let earlier = self.servers, earlier != servers { table.askAgain(at: time) }
        self.servers = servers
        table.use(aliases, at: time) { key in
            guard let kept = served.kept(key), !kept.set.records.isEmpty else { return nil }
            guard let end = kept.set.answerEnds else { return time }
            // Within a year, so that no time that a damaged store tells can overflow.
            let left = min(max(end, date - Self.year), date + Self.year) - date
            return time + left * 1_000
        }
    }

    /// Stores when the answers end, so that a process that crashes again and again serves the last addresses no longer
    /// than one that runs. It is not written with each answer: an eighth of the limit less does no harm.
    private func storeAnswerEnds(of aliases: [AliasSettings]) async {
        let (time, date, served) = (now(), date(), state.current.served)
        guard life.current.publishingRefusal == nil, storesAt <= time else { return }
        var ends = AliasAnswerEnds()
        for alias in aliases {
            for key in AliasTable.keys(of: alias) {
                guard let end = table.answerEnds(key), let kept = served.kept(key) else { continue }
                let (known, tolerated) = (kept.set.answerEnds ?? .min / 2, alias.staleMilliseconds * 1_000 / 8)
                let wanted = date + (end - time) / 1_000
                if wanted - known > tolerated { ends.add(wanted, key.rrset, in: kept.zone) }
            }
        }
        guard !ends.isEmpty else { return }
        do throws(ControlFailure) { try await publisher.store(ends) } catch {
            // The journal says that it cannot be written.
            storesAt = now() + Self.storePause
        }
    }

    // MARK: - Former aliases

    /// Removes what was kept for aliases that are no longer configured. Only a reload makes such, so there is nothing to
    /// look for while the revision stays.
    private func forgetOthers() async {
        let current = state.current
        guard current.revision != cleanRevision, life.current.publishingRefusal == nil,
            leftoverRefusal?.endsAt ?? 0 <= now()
        else { return }
        cleanRevision = current.revision
        let aliases = current.served.loaded.configuration.aliasOwners
        for (zone, changes) in current.served.changes {
            let left = changes.sets.filter { $0.value.isOfAlias && !aliases.contains($0.key.owner) }
            guard !left.isEmpty else { continue }
            cleanRevision = nil
            do throws(ControlFailure) {
                try await publisher.forgetAliases(Set(left.keys), in: zone)
                leftoverRefusal = nil
            } catch { note(error, ofLeftoversIn: zone) }
        }
    }

    private func note(_ failure: ControlFailure, ofLeftoversIn zone: DomainName) {
        guard !isForSuccessor(failure) else { return }
        let problem = "\(zone): \(failure)"
        if leftoverRefusal?.problem != problem {
            logger.error(
                "addresses of former aliases cannot be removed", metadata: ["zone": "\(zone)", "error": "\(failure)"])
        }
        leftoverRefusal = Refusal(problem: problem, endsAt: now() + Self.refusalPause)
    }
}

extension AliasTable.Key {
    fileprivate var rrset: RRsetKey { RRsetKey(owner: name.lowercasedWire, type: RecordType(addressesOf: family)) }
}

extension Served {
    /// The addresses of an alias that are kept, and their zone.
    fileprivate func kept(_ key: AliasTable.Key) -> (zone: DomainName, set: ZoneChanges.RRset)? {
        guard let zone = loaded.model.zones.zone(of: key.name)?.apex, let set = changes[zone]?[key.rrset], set.isOfAlias
        else { return nil }
        return (zone, set)
    }
}

extension ZoneSet {
    /// The A and AAAA records of a name.
    fileprivate func addressSets(of name: DomainName) -> [ZoneRRset] {
        zone(of: name)?.rrsets(of: name).filter { $0.type == .a || $0.type == .aaaa } ?? []
    }
}
