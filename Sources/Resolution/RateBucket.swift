import CFastPathABI
import Synchronization

/// What a rate limit does with a reply.
public enum RateOutcome: Hashable, Sendable {
    case send
    /// Sent as a truncated reply with TC, so that a legitimate client retries over TCP.
    case slip
    case drop
}

/// How many replies of one class a client network may get.
public struct RateLimitRule: Hashable, Sendable {
    /// Replies per second, which is also the burst after a pause: 1 to 65,535; 0: only errors are limited.
    public var responsesPerSecond: UInt16
    /// The same for error replies, which are always limited: 1 to 65,535. 0 means unlimited, for tests only.
    public var errorsPerSecond: UInt16
    /// Every Nth reply over the limit is sent truncated instead of dropped: 1 to 10; 0 for none.
    public var slip: UInt8
    /// Prefix length of an IPv4 client network: 0 to 32.
    public var v4PrefixLength: Int
    /// The same for IPv6: 0 to 128.
    public var v6PrefixLength: Int

    /// Whether replies over the limit are only counted, and sent nevertheless.
    public var isDryRun: Bool

    /// Default number of errors per second for one network: more than the senders in one network cause by mistake, and
    /// far too few for an attack (about 100 kB per second).
    public static let defaultErrorsPerSecond: UInt16 = 1_000

    /// A rule that only limits errors.
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

/// The buckets of a rate limit: a direct-mapped table of words (`bpf/abi/rate.h`). All threads count in it. If the
/// memory is the fast path's map, the fast path does too.
public final class RateBuckets: Sendable {
    public static let count = Int(NC_RATE_BUCKETS)

    // Accessed by atomic operations only, here and in the program. The memory lives as long as this object, which owns
    // it or holds its owner, `keeper`.
    nonisolated(unsafe) private let words: UnsafeMutablePointer<Atomic<UInt64>>
    private let keeper: (any Sendable)?

    /// Buckets private to this process, all unused.
    public init() {
        words = .allocate(capacity: Self.count)
        for index in 0..<Self.count { (words + index).initialize(to: Atomic(0)) }
        keeper = nil
    }

    /// Buckets in memory that `keeper` keeps mapped: `count` words, aligned to 8.
    public init(memory: UnsafeMutableRawPointer, keeper: any Sendable) {
        words = memory.assumingMemoryBound(to: Atomic<UInt64>.self)
        self.keeper = keeper
    }

    deinit {
        guard keeper == nil else { return }
        words.deinitialize(count: Self.count)
        words.deallocate()
    }

    /// Takes a token from the bucket of `key` in the second `now`.
    ///
    /// - Parameter perSecond: tokens added per second, at least 1.
    func take(_ key: UInt64, at now: UInt32, perSecond: UInt16, slip: UInt8) -> RateOutcome {
        let place = words + Int(nc_rate_place(key))
        var found = place.pointee.load(ordering: .relaxed)
        // On contention, try again. A thread that keeps losing lets the reply pass.
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
