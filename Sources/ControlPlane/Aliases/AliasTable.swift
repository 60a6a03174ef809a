package import ConfigurationModel
package import DNSWire
package import HostLookup
package import IPNetworks

/// What is known of the aliases' targets, and what their names should have. Times are nanoseconds of a clock that is never
/// set.
///
///     due(at:) ──► lookup ──► take(_:for:at:) ──► wanted(_:)
package struct AliasTable: Sendable {
    package struct Key: Hashable, Sendable {
        /// The alias.
        package let name: DomainName
        package let target: DomainName
        package let family: IPFamily
    }

    /// What became of a lookup that an operator should know.
    package enum News: Equatable, Sendable {
        /// Empty: the target has no address of the family.
        case resolved([IPAddress])
        case failed(String)
        /// Lookups work again.
        case recovered
        /// The last addresses were withdrawn.
        case withdrawn
    }

    /// What is known of the target of one alias, over both families.
    package struct Knowledge: Equatable, Sendable {
        /// When the older family was last looked up with success. `nil`: one of them never was.
        package let confirmedAt: Int64?
        /// Why the last lookup failed; `nil`: it did not.
        package let problem: String?
    }

    private struct Entry {
        /// `nil`: not known yet.
        var addresses: [IPAddress]?
        /// Whether the name had addresses of the alias when the entry was made.
        let isKept: Bool
        /// When a lookup last succeeded.
        var confirmedAt: Int64?
        /// When its answer ends. Before the first answer: when that of the kept addresses ended.
        var endsAt: Int64
        var nextAt: Int64
        var problem: String?
        /// Lookups in a row that failed.
        var failures = 0
        var isRunning = false
        var isWithdrawn = false

        /// - Parameter keptUntil: when the last answer with the kept addresses ends; `nil`: none are kept.
        init(keptUntil: Int64?, at now: Int64) {
            isKept = keptUntil != nil
            // A clock that was set back must not make an answer last longer than any can.
            endsAt = min(keptUntil ?? now, now + AliasTable.longestLife)
            nextAt = now
        }

        /// Whether the name has addresses that can be withdrawn. Those of its zone's file, before the first answer, are
        /// not the alias's.
        var hasAddresses: Bool { addresses.map { !$0.isEmpty } ?? isKept }

        mutating func succeed(_ found: [IPAddress], at now: Int64, life: Int64) {
            (addresses, confirmedAt, endsAt, nextAt) = (found, now, now + life, now + life)
            (problem, failures, isWithdrawn) = (nil, 0, false)
        }

        mutating func fail(_ reason: String, at now: Int64) {
            // Doubled each time, so that many targets that fail do not keep the others waiting.
            nextAt = now + min(AliasTable.failurePause << min(failures, 8), AliasTable.longestFailurePause)
            (problem, failures) = (reason, failures + 1)
        }
    }

    private static let second: Int64 = 1_000_000_000
    /// An answer without addresses has no time to live here.
    private static let emptyPause = 60 * second
    private static let failurePause = 10 * second
    private static let longestFailurePause = 120 * second
    private static let longestLife = Int64(LookupCache.longest) * second

    private var settings: [AliasSettings] = []
    private var entries: [Key: Entry] = [:]

    package init() {}

    /// Follows these aliases from now on, and no others.
    ///
    /// - Parameter keptUntil: when the last answer ends whose addresses a name has from an earlier process; `nil`: it
    ///   has none.
    package mutating func use(
        _ aliases: [AliasSettings], at now: Int64, keptUntil: (Key) -> Int64? = { _ in nil }
    ) {
        guard aliases != settings else { return }
        settings = aliases
        let keys = Set(aliases.flatMap(Self.keys))
        entries = entries.filter { keys.contains($0.key) }
        for key in keys where entries[key] == nil { entries[key] = Entry(keptUntil: keptUntil(key), at: now) }
    }

    package static func keys(of alias: AliasSettings) -> [Key] {
        IPFamily.allCases.map { Key(name: alias.name, target: alias.target, family: $0) }
    }

    /// The lookups to begin now.
    package mutating func due(at now: Int64) -> [Key] {
        let due = entries.filter { !$0.value.isRunning && $0.value.nextAt <= now }.map(\.key)
        for key in due { entries[key]?.isRunning = true }
        return due
    }

    /// Makes every lookup due: other servers are to be asked.
    package mutating func askAgain(at now: Int64) {
        for key in entries.keys {
            entries[key]?.nextAt = now
            entries[key]?.failures = 0
        }
    }

    /// Whether a lookup has ended.
    package func isAnswered(_ key: Key) -> Bool {
        entries[key].map { $0.addresses != nil || $0.problem != nil } ?? true
    }

    /// Takes the result of a lookup.
    package mutating func take(_ answer: HostLookup.Answer, for key: Key, at now: Int64) -> [News] {
        guard var entry = entries[key] else { return [] }
        defer { entries[key] = entry }
        entry.isRunning = false
        let (before, hadProblem) = (entry.addresses, entry.problem != nil)
        switch answer {
        case .unanswered(let reason):
            entry.fail(reason, at: now)
            return hadProblem ? [] : [.failed(reason)]
        case .addresses(let addresses, let timeToLive):
            entry.succeed(addresses.sorted(), at: now, life: max(1, timeToLive.components.seconds) * Self.second)
        case .noData, .noSuchName:
            entry.succeed([], at: now, life: Self.emptyPause)
        }
        return (hadProblem ? [.recovered] : []) + (entry.addresses == before ? [] : [.resolved(entry.addresses ?? [])])
    }

    /// Withdraws addresses whose answer ended too long ago.
    ///
    /// - Returns: those withdrawn now.
    package mutating func expire(at now: Int64) -> [Key] {
        var withdrawn: [Key] = []
        for alias in settings {
            for key in Self.keys(of: alias) {
                guard let entry = entries[key], !entry.isWithdrawn, entry.hasAddresses, entry.problem != nil,
                    now - entry.endsAt > alias.staleMilliseconds * 1_000_000
                else { continue }
                entries[key]?.isWithdrawn = true
                withdrawn.append(key)
            }
        }
        return withdrawn
    }

    /// The addresses that a name should have. `nil`: nothing is known yet, so it keeps what it has.
    package func wanted(_ key: Key) -> [IPAddress]? {
        guard let entry = entries[key] else { return nil }
        return entry.isWithdrawn ? [] : entry.addresses
    }

    /// When the answer with the addresses of ``wanted(_:)`` ends. `nil`: there was no answer since the start, or it had
    /// no address.
    package func answerEnds(_ key: Key) -> Int64? {
        guard let entry = entries[key], entry.addresses?.isEmpty == false, !entry.isWithdrawn else { return nil }
        return entry.endsAt
    }

    package func knowledge(of alias: AliasSettings) -> Knowledge {
        let found = Self.keys(of: alias).compactMap { entries[$0] }
        let confirmed = found.compactMap(\.confirmedAt)
        return Knowledge(
            confirmedAt: confirmed.count == IPFamily.allCases.count ? confirmed.min() : nil,
            problem: found.lazy.compactMap(\.problem).first)
    }
}
