/// Replies that the program made and the network driver could not send, by the driver's own counters.
///
/// The program's verdict counts a reply before the driver sends it. The peer of a veth without a program, a full
/// transmit queue, or an interface without free descriptors lose it afterwards, and only the driver's statistics
/// (`ethtool -S`) show that.
package struct UnsentReplies: Sendable {
    /// What was lost at an interface.
    package struct Count: Hashable, Sendable {
        /// Since this process saw the interface first.
        package var total: UInt64
        /// In the last minute or so.
        package var recent: UInt64

        package init(total: UInt64, recent: UInt64) { (self.total, self.recent) = (total, recent) }
    }

    /// Something that operators are told once.
    package enum News: Equatable, Sendable {
        case began(interface: String, count: UInt64)
        case ended(interface: String)
    }

    private struct History {
        var last: UInt64
        var total: UInt64 = 0
        /// The growth at each of the last looks, the latest one last.
        var growth: [UInt64] = []
        var isLosing = false

        var recent: UInt64 { growth.reduce(0, +) }
    }

    /// Nanoseconds between two looks: reading its statistics may take a driver some milliseconds.
    package static let interval: Int64 = 10_000_000_000
    private static let looks = 6

    private var histories: [String: History] = [:]
    private var lookedAt: Int64?

    package init() {}

    /// Whether the next look is due, at a time of the monotonic clock in nanoseconds.
    package mutating func isDue(at now: Int64) -> Bool {
        if let lookedAt, now - lookedAt < Self.interval { return false }
        lookedAt = now
        return true
    }

    /// Takes the drivers' counters.
    ///
    /// - Parameters:
    ///   - attached: the interfaces that the program is on. Others are forgotten.
    ///   - counters: by interface. One that is missing could not be read, or its driver counts nothing: what was known of
    ///     it stays.
    package mutating func take(_ counters: [String: UInt64], of attached: Set<String>) -> [News] {
        let left = histories.filter { !attached.contains($0.key) }
        var news = left.filter(\.value.isLosing).keys.sorted().map { News.ended(interface: $0) }
        for interface in left.keys { histories[interface] = nil }
        for (interface, now) in counters.sorted(by: { $0.key < $1.key })
        where attached.contains(interface) {
            guard var history = histories[interface] else {
                histories[interface] = History(last: now)
                continue
            }
            // A lower value: the driver was loaded again.
            let growth = now >= history.last ? now - history.last : now
            (history.last, history.total) = (now, history.total + growth)
            history.growth = history.growth.suffix(Self.looks - 1) + [growth]
            if growth > 0, !history.isLosing { news.append(.began(interface: interface, count: growth)) }
            if history.recent == 0, history.isLosing { news.append(.ended(interface: interface)) }
            history.isLosing = history.recent > 0
            histories[interface] = history
        }
        return news
    }

    /// By interface; those alone whose driver counts.
    package var counts: [String: Count] { histories.mapValues { Count(total: $0.total, recent: $0.recent) } }
}
