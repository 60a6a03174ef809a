import ConfigurationModel
import ControlFailures
import DNSWire
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
    private static let tick = Duration.seconds(1)
    /// After a zone refused the addresses.
    private static let refusalPause: Int64 = 60_000_000_000

    private let publisher: Publisher
    private let lookup: HostLookup
    private let state: StateCell
    private let logger: Logger
    private let now: @Sendable () -> Int64
    private var table = AliasTable()
    /// Zones that refused a change, and until when they are left alone.
    private var refused: [DomainName: Int64] = [:]

    /// - Parameter now: nanoseconds of a clock that is never set.
    package init(
        publisher: Publisher, lookup: HostLookup, state: StateCell, logger: Logger,
        now: @escaping @Sendable () -> Int64 = { MonotonicClock.nanoseconds }
    ) {
        (self.publisher, self.lookup, self.state, self.logger, self.now) = (publisher, lookup, state, logger, now)
    }

    package func run() async throws {
        try? await cancelWhenGracefulShutdown {
            while true {
                await self.look()
                try await Task.sleep(for: Self.tick)
            }
        }
    }

    /// Begins the lookups that are due, and publishes what is known.
    package func look() async {
        let aliases = state.current.served.loaded.configuration.aliases
        table.use(aliases, at: now())
        for key in table.due(at: now()) {
            Task { take(await lookup.addresses(of: key.target, family: key.family), for: key) }
        }
        for key in table.expire(at: now()) { tell(.withdrawn, key) }
        await publish(aliases)
        await forgetOthers(aliases)
        let states = table.states
        if states != state.current.aliases { state.update { $0.aliases = states } }
    }

    private func take(_ answer: HostLookup.Answer, for key: AliasTable.Key) {
        if let news = table.take(answer, for: key, at: now()) { tell(news, key) }
    }

    private func tell(_ news: AliasTable.News, _ key: AliasTable.Key) {
        var metadata: Logger.Metadata = [
            "alias": "\(key.name)", "target": "\(key.target)", "family": "\(key.family.name)",
        ]
        switch news {
        case .resolved(let addresses):
            metadata["addresses"] = "\(addresses.map { "\($0)" }.joined(separator: " "))"
            logger.info("alias resolved", metadata: metadata)
        case .recovered: logger.notice("alias can be resolved again", metadata: metadata)
        case .failed(let reason):
            metadata["error"] = "\(reason)"
            logger.error("alias cannot be resolved, its last addresses stay", metadata: metadata)
        case .withdrawn:
            logger.error("alias was not resolved for too long: its addresses are withdrawn", metadata: metadata)
        }
    }

    // MARK: - Publishing

    private func publish(_ aliases: [AliasSettings]) async {
        let (served, time) = (state.current.served, now())
        var changes: [DomainName: [RRsetChange]] = [:]
        for alias in aliases {
            guard let zone = served.loaded.model.zones.zone(of: alias.name), refused[zone.apex] ?? 0 <= time else {
                continue
            }
            let sets = zone.rrsets(of: alias.name)
            for key in AliasTable.keys(of: alias) {
                guard let wanted = table.wanted(key) else { continue }
                let change = RRsetChange(
                    owner: alias.name, type: key.family == .v4 ? .a : .aaaa, ttl: alias.ttl,
                    records: wanted.map(\.bytes))
                let set = sets.first { $0.type == change.type }
                let isServed =
                    set.map { $0.ttl == change.ttl && Set($0.records) == Set(change.records) } ?? wanted.isEmpty
                if !isServed { changes[zone.apex, default: []].append(change) }
            }
        }
        for (zone, changes) in changes {
            let target = aliases.first { $0.name == changes[0].owner }?.target
            let request = RecordRequest(
                zone: zone, changes: changes, author: "\(RecordRequest.aliasAuthor)\(target.map { " of \($0)" } ?? "")",
                isOfAlias: true)
            do throws(ControlFailure) { _ = try await publisher.change(request) } catch { tell(error, of: zone) }
        }
    }

    /// Leaves the zone alone for a while.
    private func tell(_ failure: ControlFailure, of zone: DomainName) {
        // During a handover or stop the successor publishes.
        guard failure.code != .unavailable else { return }
        refused[zone] = now() + Self.refusalPause
        logger.error("addresses of aliases are refused", metadata: ["zone": "\(zone)", "error": "\(failure)"])
    }

    /// What was kept for aliases that are no longer configured.
    private func forgetOthers(_ aliases: [AliasSettings]) async {
        let names = Set(aliases.map(\.name.lowercasedWire))
        for (zone, changes) in state.current.served.changes {
            let left = changes.sets.filter { $0.value.isOfAlias && !names.contains($0.key.owner) }
            let owners = Set(left.keys.map(\.owner)).compactMap { DomainName(wire: $0) }
            guard !owners.isEmpty, refused[zone] ?? 0 <= now() else { continue }
            for type in [RecordType.a, .aaaa] {
                do throws(ControlFailure) { _ = try await publisher.forget(zone, names: owners, type: type) } catch {
                    tell(error, of: zone)
                }
            }
        }
    }
}

extension ZoneChanges.RRset {
    /// Whether an alias's addresses were laid over the zone.
    fileprivate var isOfAlias: Bool { author?.hasPrefix(RecordRequest.aliasAuthor) == true }
}
