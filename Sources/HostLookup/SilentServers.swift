/// The servers that gave no reply to their last question. They are asked last, and now and then without any lookup
/// waiting for them, so that a dead server delays one lookup only. Times are nanoseconds.
package struct SilentServers {
    package static let second: Int64 = 1_000_000_000
    /// After the first question without a reply. Doubled with each further one.
    package static let pause = 60 * second
    package static let longestPause = 600 * second

    private struct Silence {
        var since: Int64
        var retryAt: Int64
        /// Questions in a row without a reply. Those that ran at the same time count once.
        var count = 1
    }

    private var silences: [LookupServer: Silence] = [:]

    package init() {}

    /// The servers in the order in which to ask them.
    package func order(_ servers: [LookupServer]) -> [LookupServer] {
        servers.filter { silences[$0] == nil } + servers.filter { silences[$0] != nil }
    }

    /// The silent servers to try again now, while others answer.
    package mutating func takeDue(of servers: [LookupServer], at now: Int64) -> [LookupServer] {
        guard servers.contains(where: { silences[$0] == nil }) else { return [] }
        let due = servers.filter { silences[$0].map { $0.retryAt <= now } ?? false }
        for server in due { silences[server]?.retryAt = now + Self.pause }
        return due
    }

    /// A question that was sent at `start` got no reply.
    ///
    /// - Returns: whether this is the second time in a row. The first may be one lost packet.
    package mutating func failed(_ server: LookupServer, from start: Int64, at now: Int64) -> Bool {
        guard var silence = silences[server] else {
            silences[server] = Silence(since: now, retryAt: now + Self.pause)
            return false
        }
        guard start >= silence.since else { return false }
        silence.since = now
        silence.retryAt = now + min(Self.pause << min(silence.count, 8), Self.longestPause)
        silence.count += 1
        silences[server] = silence
        return silence.count == 2
    }

    /// - Returns: whether the server had been silent more than once.
    package mutating func answered(_ server: LookupServer) -> Bool {
        (silences.removeValue(forKey: server)?.count ?? 0) > 1
    }
}
