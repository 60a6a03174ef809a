public import CFastPathABI
public import IPNetworks
import Location
import Synchronization
import Zones

/// Limits the replies of one class to one client network, across all threads and both paths.
///
/// The table is fixed and direct-mapped. Two networks whose keys map to the same bucket take turns in it. It never
/// allocates.
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
    ///   - secret: random, so that an attacker cannot target another network's bucket.
    ///   - buckets: those of the fast path, to share one budget with it.
    public init(
        _ rule: RateLimitRule, exempt: [IPPrefix] = [], secret: UInt64, buckets: RateBuckets = RateBuckets()
    ) {
        self.rule = rule
        self.exempt = exempt
        self.secret = secret
        self.buckets = buckets
        exemption = exempt.isEmpty ? nil : AccessList(allow: exempt, deny: [])
    }

    /// The same limit with other buckets.
    public func counting(in buckets: RateBuckets) -> ResponseRateLimit {
        ResponseRateLimit(rule, exempt: exempt, secret: secret, buckets: buckets)
    }

    /// User-space replies that a dry run sent although they were over the limit, by what would have happened to them.
    public var dryRunCounts: (dropped: UInt64, slipped: UInt64) {
        (wouldDrop.load(ordering: .relaxed), wouldSlip.load(ordering: .relaxed))
    }

    /// Decides on a reply to `client` in the second `now`.
    func decide(_ client: IPAddress, _ verdict: Verdict, at now: UInt32) -> RateOutcome {
        guard let responseClass = verdict.responseClass else { return .send }
        let isError = responseClass == NC_CLASS_ERROR
        let perSecond = isError ? rule.errorsPerSecond : rule.responsesPerSecond
        guard perSecond > 0 else { return .send }
        if let exemption, exemption.admits(client) { return .send }
        let outcome = buckets.take(key(client, responseClass), at: now, perSecond: perSecond, slip: rule.slip)
        guard rule.isDryRun, !isError, outcome != .send else { return outcome }
        if outcome == .drop { wouldDrop.add(1, ordering: .relaxed) } else { wouldSlip.add(1, ordering: .relaxed) }
        return .send
    }

    private func key(_ client: IPAddress, _ responseClass: nc_response_class) -> UInt64 {
        let length = client.family == .v4 ? rule.v4PrefixLength : rule.v6PrefixLength
        let network = nc_address(client.masked(to: length))
        return nc_rate_key(secret, network, responseClass.rawValue)
    }
}

extension Verdict {
    /// The class in which a reply is limited; `nil`: there is no reply to limit.
    public var responseClass: nc_response_class? {
        switch self {
        case .answeredTailored, .answeredStatic, .truncated, .yxDomain: NC_CLASS_ANSWER
        case .noData: NC_CLASS_NODATA
        case .nxDomain: NC_CLASS_NXDOMAIN
        case .referral: NC_CLASS_REFERRAL
        case .refused, .formErr, .notImp, .badVers, .badCookie, .cookieSent: NC_CLASS_ERROR
        case .dropped, .rateDropped, .rateSlipped, .servicePort: nil
        }
    }
}
