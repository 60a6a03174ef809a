package import ConfigurationModel
package import DNSWire
package import Foundation
package import HostLookup
package import IPNetworks
import LinuxSupport

/// What is known of the aliases' targets, and what their names should have. Times are nanoseconds of a clock that is never
/// set.
///
///     due(at:) ──► lookup ──► take(_:for:at:) ──► wanted(_:_:at:)
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

    private struct Entry {
        /// `nil`: not known yet.
        var addresses: [IPAddress]?
        /// When that was last confirmed; at first, when the entry was made.
        var confirmedAt: Int64
        var nextAt: Int64
        var problem: String?
        var isRunning = false
        var isWithdrawn = false
    }

    private static let second: Int64 = 1_000_000_000
    /// An answer without addresses has no time to live here.
    private static let emptyPause = 60 * second
    private static let failurePause = 10 * second

    private var settings: [AliasSettings] = []
    private var entries: [Key: Entry] = [:]

    package init() {}

    /// Follows these aliases from now on, and no others.
    package mutating func use(_ aliases: [AliasSettings], at now: Int64) {
        guard aliases != settings else { return }
        settings = aliases
        let keys = Set(aliases.flatMap(Self.keys))
        entries = entries.filter { keys.contains($0.key) }
        for key in keys where entries[key] == nil { entries[key] = Entry(confirmedAt: now, nextAt: now) }
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

    /// Takes the result of a lookup.
    package mutating func take(_ answer: HostLookup.Answer, for key: Key, at now: Int64) -> News? {
        guard var entry = entries[key] else { return nil }
        defer { entries[key] = entry }
        entry.isRunning = false
        let (before, problem) = (entry.addresses, entry.problem)
        switch answer {
        case .unanswered(let reason):
            (entry.problem, entry.nextAt) = (reason, now + Self.failurePause)
            return problem == nil ? .failed(reason) : nil
        case .addresses(let addresses, let timeToLive):
            entry.addresses = addresses.sorted()
            entry.nextAt = now + max(Self.second, timeToLive.components.seconds * Self.second)
        case .noData, .noSuchName:
            entry.addresses = []
            entry.nextAt = now + Self.emptyPause
        }
        (entry.confirmedAt, entry.problem, entry.isWithdrawn) = (now, nil, false)
        if entry.addresses != before { return .resolved(entry.addresses ?? []) }
        return problem == nil ? nil : .recovered
    }

    /// Withdraws addresses that were not confirmed for too long.
    ///
    /// - Returns: those withdrawn now.
    package mutating func expire(at now: Int64) -> [Key] {
        var withdrawn: [Key] = []
        for alias in settings {
            for key in Self.keys(of: alias) {
                guard let entry = entries[key], !entry.isWithdrawn, entry.problem != nil,
                    now - entry.confirmedAt > alias.staleMilliseconds * 1_000_000
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

    /// As published: each alias in the configuration's order.
    package var states: [AliasState] {
        settings.map { alias in
            let found = Self.keys(of: alias).compactMap { entries[$0] }
            let isKnown = found.contains { $0.addresses != nil }
            return AliasState(
                name: alias.name, target: alias.target,
                addresses: found.flatMap { $0.isWithdrawn ? [] : $0.addresses ?? [] },
                confirmedAt: isKnown ? found.map(\.confirmedAt).min() : nil,
                problem: found.lazy.compactMap(\.problem).first)
        }
    }
}

/// One alias as it is now.
package struct AliasState: Equatable, Sendable {
    package let name: DomainName
    package let target: DomainName
    /// What the target has, of both families.
    package let addresses: [IPAddress]
    /// When the older of both families was last looked up with success, on the monotonic clock in nanoseconds. `nil`:
    /// never since the start.
    let confirmedAt: Int64?
    /// Why the last lookup failed.
    package let problem: String?

    /// ``confirmedAt`` by the clock of people.
    package var confirmed: Date? {
        confirmedAt.map { Date(timeIntervalSinceNow: -Double(MonotonicClock.nanoseconds - $0) * 1e-9) }
    }
}
