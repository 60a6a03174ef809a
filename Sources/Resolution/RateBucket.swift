import CFastPathABI
import Synchronization

/// What becomes of a reply under a rate limit.
public enum RateOutcome: Hashable, Sendable {
    case send
    /// Sent cut to its question with TC, so that an honest client asks again over TCP.
    case slip
    case drop
}

/// How often a client network may get replies of one class.
public struct RateLimitRule: Hashable, Sendable {
    /// Replies a second, and at once after a pause: 1 to 65,535; 0: only errors are limited.
    public var responsesPerSecond: UInt16
    /// The same of error replies, which are always limited: 1 to 65,535. 0 is for tests: not limited.
    public var errorsPerSecond: UInt16
    /// Of the replies over the limit every one in so many is cut instead of dropped: 1 to 10; 0 for none.
    public var slip: UInt8
    /// Bits of an IPv4 address that make a client network: 0 to 32.
    public var v4PrefixLength: Int
    /// The same for IPv6: 0 to 128.
    public var v6PrefixLength: Int

    /// Whether replies over the limit are counted, and sent all the same.
    public var isDryRun: Bool

    /// Errors a second that a network gets unless it is set otherwise: more than the senders behind one network make by
    /// mistake, and far too few to be a weapon (some 100 kB a second).
    public static let defaultErrorsPerSecond: UInt16 = 1_000

    /// A rule that limits errors alone.
    public static let errorsOnly = RateLimitRule(responsesPerSecond: 0)

    public init(
        responsesPerSecond: UInt16, errorsPerSecond: UInt16 = Self.defaultErrorsPerSecond, slip: UInt8 = 2,
        v4PrefixLength: Int = 24, v6PrefixLength: Int = 56, isDryRun: Bool = false
    ) {
        self.responsesPerSecond = responsesPerSecond
        self.errorsPerSecond = errorsPerSecond
        self.slip = slip
        self.v4PrefixLength = v4PrefixLength
        self.v6PrefixLength = v6PrefixLength
        self.isDryRun = isDryRun
    }
}

/// The buckets of a rate limit: a direct-mapped table of words (`bpf/abi/rate.h`) that all threads count in, and the fast path
/// too, where the memory is its map's.
public final class RateBuckets: Sendable {
    public static let count = Int(NC_RATE_BUCKETS)

    // Reached by atomic operations only, here and in the program; lives as long as this object: it is owned, or `keeper`
    // owns it.
    nonisolated(unsafe) private let words: UnsafeMutablePointer<Atomic<UInt64>>
    private let keeper: (any Sendable)?

    /// Buckets of this process alone, all untouched.
    public init() {
        words = .allocate(capacity: Self.count)
        for index in 0..<Self.count { (words + index).initialize(to: Atomic(0)) }
        keeper = nil
    }

    /// Buckets in memory that `keeper` keeps mapped, `count` words at a multiple of 8.
    public init(memory: UnsafeMutableRawPointer, keeper: any Sendable) {
        words = memory.assumingMemoryBound(to: Atomic<UInt64>.self)
        self.keeper = keeper
    }

    deinit {
        guard keeper == nil else { return }
        words.deinitialize(count: Self.count)
        words.deallocate()
    }

    /// Takes a token of the bucket of `key` in the second `now`.
    ///
    /// - Parameter perSecond: tokens that come each second, at least 1.
    func take(_ key: UInt64, at now: UInt32, perSecond: UInt16, slip: UInt8) -> RateOutcome {
        let place = words + Int(nc_rate_place(key))
        var found = place.pointee.load(ordering: .relaxed)
        // Threads that meet in a bucket try again; who keeps losing passes.
        for _ in 0..<8 {
            let visit = nc_rate_take(found, nc_rate_tag(key), now, UInt32(perSecond), UInt32(slip))
            let stored = place.pointee.weakCompareExchange(expected: found, desired: visit.word, ordering: .relaxed)
            if stored.exchanged { return RateOutcome(visit.outcome) }
            found = stored.original
        }
        return .send
    }
}

extension RateOutcome {
    fileprivate init(_ outcome: UInt32) {
        switch outcome {
        case NC_RATE_SLIP.rawValue: self = .slip
        case NC_RATE_DROP.rawValue: self = .drop
        default: self = .send
        }
    }
}
