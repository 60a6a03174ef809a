public import IPNetworks

/// The state machine of one address family of a node, or of the whole node where no check is of one family.
///
///              first results                 fall failures in a row (brake allowing)
///     UNKNOWN ───────────────► UP or DOWN        UP ───────────────► DOWN
///                                                 ▲  share grows       │
///                                                 └── rise successes ◄─┘ (doubled by flaps)
///
/// Claims of higher authorities take precedence over all of this, and leave the verdict of the checks unchanged
/// underneath.
public struct FamilyHealth: Hashable, Sendable {
    /// `nil`: all addresses of the node have one state.
    public let family: IPFamily?
    /// The combined verdict of the checks that count for it, once mass-failure protection accepts it.
    public internal(set) var verdict: CheckRecord.Verdict
    /// Failing, but kept in rotation by mass-failure protection.
    public internal(set) var heldSince: Moment?
    /// The verdict agreed among observers, which replaces that of its own checks. `nil`: there are no other observers.
    public internal(set) var agreed: CheckRecord.Verdict?
    /// The result of checks and claims.
    public internal(set) var base = NodeCondition(state: .unknown, share: 0, ttl: NodeCondition.stable)
    /// The base under the limits of load and region.
    public internal(set) var condition = NodeCondition(state: .unknown, share: 0, ttl: NodeCondition.stable)
    /// The authority that decides the state.
    public internal(set) var authority = Authority.checks

    var flaps: [Moment] = []
    var recoveredAt: Moment?
    var rampSince: Moment?

    init(_ family: IPFamily?, _ verdict: CheckRecord.Verdict) {
        self.family = family
        self.verdict = verdict
    }

    /// Whether mass-failure protection keeps its answers although its checks fail.
    public var isHeld: Bool { heldSince != nil && condition.state.isUsable }

    /// Consecutive successes that bring a check back.
    func needed(_ check: Check, at now: Moment) -> Int {
        let recent = flaps.count { now - $0 < HealthRules.dampingWindow }
        return check.rise << min(recent, HealthRules.dampingDoublings)
    }

    /// Adopts a verdict of the checks, unless mass-failure protection holds it.
    ///
    /// - Parameter isCertain: whether the failure is beyond doubt, so that nothing holds it.
    mutating func settle(_ next: CheckRecord.Verdict, isCertain: Bool, at now: Moment, brake: Brake, mayFall: Bool) {
        guard next != .unknown, next != verdict else {
            if next == verdict { heldSince = nil }
            return
        }
        if verdict == .up, !mayFall, !isCertain {
            let since = heldSince ?? now
            heldSince = since
            guard now - since >= brake.holdMilliseconds else { return }
        }
        heldSince = nil
        if verdict == .up, let recoveredAt, now - recoveredAt < HealthRules.dampingWindow {
            flaps = flaps.suffix(HealthRules.dampingDoublings - 1) + [now]
        }
        if verdict == .down { recoveredAt = now }
        verdict = next
    }

    /// Its checks are gone.
    mutating func forgetChecks() {
        verdict = .unknown
        (flaps, recoveredAt, heldSince, agreed) = ([], nil, nil, nil)
    }

    /// Lets the share grow after the family was out.
    mutating func ramp(from before: HealthState, over length: Int64, at now: Moment) {
        guard base.state == .up else {
            rampSince = nil
            base.share = 0
            return
        }
        let full = HealthState.fullShare
        if !before.isUsable, before != .unknown { rampSince = now }
        if let since = rampSince, now - since < length {
            base.share = max(1, Int(Int64(full) * (now - since) / length))
        } else {
            rampSince = nil
            base.share = full
        }
    }
}

/// The states of a node's families together.
extension NodeCondition {
    /// The state of a node that may be reached over either family: that of the better one. Its TTL is the shorter one.
    static func better(_ conditions: some Collection<NodeCondition>) -> NodeCondition {
        guard var best = conditions.first else { return NodeCondition(state: .unknown, share: 0, ttl: stable) }
        for next in conditions.dropFirst() {
            let ttl = min(best.ttl, next.ttl)
            if next.rank > best.rank { best = next }
            best.ttl = ttl
        }
        return best
    }

    /// Higher is better: usable before unknown before the others, then by share.
    private var rank: (Int, Int) { (state.isUsable ? 2 : state == .unknown ? 1 : 0, share) }
}
