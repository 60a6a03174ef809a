import CFastPathABI
public import IPNetworks
import Synchronization

/// Limits the replies that one client network gets of one class, over all threads.
///
/// The table is fixed and direct-mapped: two networks whose keys meet in one bucket take turns in it, and none is refused
/// memory. Only the slow path's replies are counted.
public final class ResponseRateLimit: Sendable {
    /// Replies that are limited apart from each other: a flood of one kind leaves the others alone.
    enum ResponseClass: UInt64 { case answer, noData, nxDomain, referral, error }

    /// Buckets; 8 bytes each.
    private static let count = 1 << 17

    public let rule: RateLimitRule
    private let exempt: AccessList?
    private let secret: UInt64
    // Written by atomic operations only; freed when nobody refers to this object any more.
    nonisolated(unsafe) private let buckets: UnsafeMutablePointer<Atomic<UInt64>>

    /// - Parameters:
    ///   - exempt: networks that are not limited.
    ///   - secret: random, so that nobody can aim at another's bucket.
    public init(_ rule: RateLimitRule, exempt: [IPPrefix] = [], secret: UInt64) {
        self.rule = rule
        self.exempt = exempt.isEmpty ? nil : AccessList(allow: exempt, deny: [])
        self.secret = secret
        buckets = .allocate(capacity: Self.count)
        for index in 0..<Self.count { (buckets + index).initialize(to: Atomic(0)) }
    }

    deinit {
        buckets.deinitialize(count: Self.count)
        buckets.deallocate()
    }

    /// Decides about a reply to `client` in the second `now`.
    func decide(_ client: IPAddress, _ verdict: Verdict, at now: UInt32) -> RateOutcome {
        guard let responseClass = verdict.responseClass else { return .send }
        if let exempt, exempt.admits(client) { return .send }
        let key = key(client, responseClass)
        let place = buckets + Int(key % UInt64(Self.count))
        let tag = key >> 48 & RateBucket.tagMask
        var found = place.pointee.load(ordering: .relaxed)
        // Threads that meet in a bucket try again; who keeps losing passes.
        for _ in 0..<8 {
            var bucket = RateBucket(word: found)
            let outcome = bucket.take(tag: tag, at: now, rule)
            let stored = place.pointee.weakCompareExchange(expected: found, desired: bucket.word, ordering: .relaxed)
            if stored.exchanged { return outcome }
            found = stored.original
        }
        return .send
    }

    private func key(_ client: IPAddress, _ responseClass: ResponseClass) -> UInt64 {
        var hash = nc_hash_step(secret, UInt64(client.family.rawValue) << 8 | responseClass.rawValue)
        switch client.masked(to: client.family == .v4 ? rule.v4PrefixLength : rule.v6PrefixLength) {
        case .v4(let value): hash = nc_hash_step(hash, UInt64(value))
        case .v6(let value):
            hash = nc_hash_step(hash, UInt64(truncatingIfNeeded: value >> 64))
            hash = nc_hash_step(hash, UInt64(truncatingIfNeeded: value))
        }
        return nc_mix(hash)
    }
}

extension Verdict {
    /// `nil`: there is no reply to limit.
    fileprivate var responseClass: ResponseRateLimit.ResponseClass? {
        switch self {
        case .answeredTailored, .answeredStatic, .truncated, .yxDomain: .answer
        case .noData: .noData
        case .nxDomain: .nxDomain
        case .referral: .referral
        case .refused, .formErr, .notImp, .badVers, .badCookie, .cookieSent: .error
        case .dropped, .rateDropped, .rateSlipped: nil
        }
    }
}
