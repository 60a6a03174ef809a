package import DNSWire
package import IPNetworks

package struct LookupKey: Hashable, Sendable {
    package let name: DomainName
    package let family: IPFamily

    package init(name: DomainName, family: IPFamily) { (self.name, self.family) = (name, family) }
}

/// What servers said, for its time to live within bounds. Times are nanoseconds.
package struct LookupCache {
    /// Names and families kept. The one that was used least lately makes room.
    package static let limit = 1000
    package static let second: Int64 = 1_000_000_000
    package static let shortest: UInt32 = 5
    package static let longest: UInt32 = 3600
    package static let longestNegative: UInt32 = 300

    private struct Entry {
        let reply: LookupReply
        let expires: Int64
        /// When a use starts the next lookup.
        var due: Int64
        var used: Int64
    }

    private var entries: [LookupKey: Entry] = [:]

    package init() {}

    package var count: Int { entries.count }

    /// The living answer for `key`, and whether it is to be looked up again.
    package mutating func find(_ key: LookupKey, at now: Int64) -> (answer: HostLookup.Answer, isDue: Bool)? {
        guard let entry = entries[key], entry.expires > now else { return nil }
        entries[key]?.used = now
        return (Self.answer(entry.reply, left: entry.expires - now), entry.due <= now)
    }

    /// Keeps a reply.
    ///
    /// - Returns: the answer from now on. That is the earlier one, if it still lives and `reply` says nothing.
    package mutating func take(_ reply: LookupReply, for key: LookupKey, at now: Int64) -> HostLookup.Answer {
        let seconds: UInt32 =
            switch reply {
            case .addresses(_, let seconds): min(max(seconds, Self.shortest), Self.longest)
            case .noSuchName(let seconds), .noData(let seconds):
                min(max(seconds, Self.shortest), Self.longestNegative)
            case .failed: Self.shortest
            }
        let life = Int64(seconds) * Self.second
        if case .failed = reply, let earlier = entries[key], earlier.expires > now {
            entries[key]?.due = now + life
            return Self.answer(earlier.reply, left: earlier.expires - now)
        }
        // A failure is not repeated during its life.
        let due: Int64 = if case .failed = reply { .max } else { now + life / 5 * 4 }
        if entries[key] == nil, entries.count >= Self.limit { makeRoom(at: now) }
        entries[key] = Entry(reply: reply, expires: now + life, due: due, used: now)
        return Self.answer(reply, left: life)
    }

    private mutating func makeRoom(at now: Int64) {
        entries = entries.filter { $0.value.expires > now }
        guard entries.count >= Self.limit else { return }
        if let oldest = entries.min(by: { $0.value.used < $1.value.used })?.key { entries[oldest] = nil }
    }

    private static func answer(_ reply: LookupReply, left: Int64) -> HostLookup.Answer {
        switch reply {
        case .addresses(let addresses, _): .addresses(addresses, timeToLive: .nanoseconds(left))
        case .noSuchName: .noSuchName
        case .noData: .noData
        case .failed(let reason): .unanswered(reason)
        }
    }
}
