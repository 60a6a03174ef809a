import CFastPathABI
public import IPNetworks
import Synchronization

/// Limits the replies that one client network gets of one class, over all threads and both paths.
///
/// The table is fixed and direct-mapped: two networks whose keys meet in one bucket take turns in it, and none is refused
/// memory.
public final class ResponseRateLimit: Sendable {
    public let rule: RateLimitRule
    /// Networks that are not limited.
    public let exempt: [IPPrefix]
    /// Keys the buckets.
    public let secret: UInt64
    private let exemption: AccessList?
    private let buckets: RateBuckets
    private let wouldDrop = Atomic<UInt64>(0)
    private let wouldSlip = Atomic<UInt64>(0)

    /// - Parameters:
    ///   - exempt: networks that are not limited.
    ///   - secret: random, so that nobody can aim at another's bucket.
    ///   - buckets: The fast path's, to have one budget with it.
    public init(
        _ rule: RateLimitRule, exempt: [IPPrefix] = [], secret: UInt64, buckets: RateBuckets = RateBuckets()
    ) {
        self.rule = rule
        self.exempt = exempt
        self.secret = secret
        self.buckets = buckets
        exemption = exempt.isEmpty ? nil : AccessList(allow: exempt, deny: [])
    }

    /// The same limit, counted in other buckets.
    public func counting(in buckets: RateBuckets) -> ResponseRateLimit {
        ResponseRateLimit(rule, exempt: exempt, secret: secret, buckets: buckets)
    }

    /// Replies of user space that a dry run let pass, by what would have become of them.
    public var dryRunCounts: (dropped: UInt64, slipped: UInt64) {
        (wouldDrop.load(ordering: .relaxed), wouldSlip.load(ordering: .relaxed))
    }

    /// Decides about a reply to `client` in the second `now`.
    func decide(_ client: IPAddress, _ verdict: Verdict, at now: UInt32) -> RateOutcome {
        guard let responseClass = verdict.responseClass else { return .send }
        if let exemption, exemption.admits(client) { return .send }
        let outcome = buckets.take(key(client, responseClass), at: now, rule)
        guard rule.isDryRun, outcome != .send else { return outcome }
        if outcome == .drop { wouldDrop.add(1, ordering: .relaxed) } else { wouldSlip.add(1, ordering: .relaxed) }
        return .send
    }

    private func key(_ client: IPAddress, _ responseClass: nc_response_class) -> UInt64 {
        let network =
            switch client.masked(to: client.family == .v4 ? rule.v4PrefixLength : rule.v6PrefixLength) {
            case .v4(let value):
                nc_address(hi: UInt64(value) << 32, lo: 0, family: UInt32(NC_FAMILY_V4), reserved: 0)
            case .v6(let value):
                nc_address(
                    hi: UInt64(truncatingIfNeeded: value >> 64), lo: UInt64(truncatingIfNeeded: value),
                    family: UInt32(NC_FAMILY_V6), reserved: 0)
            }
        return nc_rate_key(secret, network, responseClass.rawValue)
    }
}

extension Verdict {
    /// `nil`: there is no reply to limit.
    fileprivate var responseClass: nc_response_class? {
        switch self {
        case .answeredTailored, .answeredStatic, .truncated, .yxDomain: NC_CLASS_ANSWER
        case .noData: NC_CLASS_NODATA
        case .nxDomain: NC_CLASS_NXDOMAIN
        case .referral: NC_CLASS_REFERRAL
        case .refused, .formErr, .notImp, .badVers, .badCookie, .cookieSent: NC_CLASS_ERROR
        case .dropped, .rateDropped, .rateSlipped: nil
        }
    }
}
