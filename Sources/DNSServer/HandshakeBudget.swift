package import IPNetworks
import Synchronization

/// How many TLS handshakes each network may begin: they cost a thousand times what a query costs.
///
/// A fixed, direct-mapped table of token buckets, placed by a hash that is seeded anew in every process. Networks that meet in a
/// bucket take it from each other, full: errors admit.
package final class HandshakeBudget: Sendable {
    private struct Bucket {
        var network: IPAddress?
        var tokens = 0.0
        var filledAt = ContinuousClock.now
    }

    private let perSecond: Double
    private let atOnce: Double
    private let buckets: Mutex<[Bucket]>

    /// - Parameters:
    ///   - perSecond: handshakes that a network gets in a second, above 0.
    ///   - atOnce: how many of them after a pause, at least 1.
    package init(perSecond: Double, atOnce: Double, places: Int = 4_096) {
        self.perSecond = perSecond
        self.atOnce = atOnce
        buckets = Mutex(Array(repeating: Bucket(), count: places))
    }

    /// Takes a token of the network's.
    ///
    /// - Returns: false when there is none.
    package func begin(in network: IPAddress, at now: ContinuousClock.Instant) -> Bool {
        buckets.withLock { buckets in
            let place = Int(UInt(bitPattern: network.hashValue) % UInt(buckets.count))
            if buckets[place].network != network {
                buckets[place] = Bucket(network: network, tokens: atOnce, filledAt: now)
            }
            let gained = (now - buckets[place].filledAt) / .seconds(1) * perSecond
            buckets[place].tokens = min(atOnce, buckets[place].tokens + max(0, gained))
            buckets[place].filledAt = now
            guard buckets[place].tokens >= 1 else { return false }
            buckets[place].tokens -= 1
            return true
        }
    }
}
