/// What is known of one node, and the state machine of its word.
///
///              first results                 fall failures in a row (brake allowing)
///     UNKNOWN ───────────────► UP or DOWN        UP ───────────────► DOWN
///                                                 ▲  share grows       │
///                                                 └── rise successes ◄─┘ (doubled by flaps)
///
/// Claims of higher authorities take precedence over all of this, and leave the verdict of the checks unchanged
/// underneath.
public struct NodeHealth: Hashable, Sendable {
    public private(set) var rules: HealthRules
    /// One for each check of the rules.
    public private(set) var records: [CheckRecord]
    /// The combined verdict of all checks, once mass-failure protection accepts it.
    public private(set) var verdict: CheckRecord.Verdict
    /// In no order. At most one without a beginning for each authority.
    public internal(set) var claims: [Claim] = []
    /// Failing, but kept in rotation by mass-failure protection.
    public private(set) var heldSince: Moment?
    /// The verdict agreed among observers, which replaces that of its own checks. `nil`: there are no other observers.
    public private(set) var agreed: CheckRecord.Verdict?
    /// Since when a window waits for another node of a pool to become usable.
    public internal(set) var windowHeldSince: Moment?
    /// The result of checks and claims.
    public private(set) var base: NodeCondition
    /// The limits from load and region. Claims above the checks are not limited.
    public private(set) var limits = ShareLimits()
    public private(set) var condition: NodeCondition
    /// The authority that decides the state.
    public private(set) var authority = Authority.checks

    private var flaps: [Moment] = []
    private var recoveredAt: Moment?
    private var rampSince: Moment?

    /// A node without results.
    ///
    /// - Parameter known: its state in an earlier run.
    public init(_ rules: HealthRules, known: Known = Known(), at now: Moment) {
        self.rules = rules
        verdict = rules.checks.isEmpty ? .unknown : known.verdict
        claims = known.claims
        records = rules.checks.map { _ in CheckRecord(known.verdict) }
        base = NodeCondition(state: .unknown, share: 0, ttl: NodeCondition.stable)
        condition = base
        limits.load = known.limit
        let part = Int64(known.share)
        if verdict == .up, part > 0, part < HealthState.fullShare {
            rampSince = now + -(rules.slowStartMilliseconds * part / Int64(HealthState.fullShare))
        }
        _ = refresh(.first, at: now)
    }

    /// The state to persist.
    public struct Known: Hashable, Sendable {
        public var verdict: CheckRecord.Verdict
        /// As ``NodeCondition/share``: a node that is recovering continues from there.
        public var share: Int
        /// The share that load and region allowed, 1 to 256.
        public var limit: Int
        public var claims: [Claim]

        public init(
            verdict: CheckRecord.Verdict = .unknown, share: Int = HealthState.fullShare,
            limit: Int = HealthState.fullShare, claims: [Claim] = []
        ) {
            self.verdict = verdict
            self.share = share
            self.limit = limit
            self.claims = claims
        }
    }

    /// Whether time alone may change something.
    public var isInMotion: Bool {
        rampSince != nil || heldSince != nil || claims.contains { $0.begins != nil || $0.ends != nil }
    }

    /// The claim that holds, if any.
    public func claim(at now: Moment) -> Claim? {
        claims.filter { $0.isActive(at: now) }.reduce(nil) { best, next in
            best.map { next.isAbove($0) ? next : $0 } ?? next
        }
    }

    // MARK: - Events

    /// A check has a result.
    ///
    /// - Parameters:
    ///   - check: index in the rules.
    ///   - mayFall: the decision of mass-failure protection.
    public mutating func take(
        passed: Bool, check: Int, at now: Moment, brake: Brake, mayFall: Bool
    ) -> Transition? {
        let rules = rules.checks[check]
        records[check].take(
            passed: passed, fall: rules.fall, rise: rules.rise, needed: needed(rules, at: now))
        let cause: Transition.Cause = verdict == .unknown ? .first : .checks
        settle(at: now, brake: brake, mayFall: mayFall)
        return refresh(cause, at: now)
    }

    /// A claim is made. It replaces the one of the same authority; a window is added to the existing ones. A window
    /// that is due takes effect.
    public mutating func make(_ claim: Claim, at now: Moment) -> Transition? {
        if claim.isWindow {
            add(window: claim, at: now)
        } else {
            claims.removeAll { $0.authority == claim.authority && !$0.isWindow }
            claims.append(claim)
        }
        return refresh(.claim, at: now)
    }

    /// Withdraws all claims of an authority, including its windows.
    public mutating func withdraw(_ authority: Authority, at now: Moment) -> Transition? {
        claims.removeAll { $0.authority == authority }
        windowHeldSince = nil
        return refresh(.withdrawal, at: now)
    }

    /// Time passes: claims expire, windows begin, shares grow, and held failures take effect.
    ///
    /// - Parameter mayLeave: whether a window may take the node out.
    public mutating func advance(to now: Moment, brake: Brake, mayFall: Bool, mayLeave: Bool = true) -> Transition? {
        let before = claim(at: now)
        claims.removeAll { $0.isOver(at: now) }
        beginWindows(at: now, mayLeave: mayLeave)
        let held = heldSince != nil
        settle(at: now, brake: brake, mayFall: mayFall)
        return refresh(held && heldSince == nil && before == nil ? .checks : .schedule, at: now)
    }

    /// The observers agree on a new verdict, or there are no other observers any more (`nil`).
    public mutating func agree(
        on verdict: CheckRecord.Verdict?, at now: Moment, brake: Brake, mayFall: Bool
    ) -> Transition? {
        guard !rules.checks.isEmpty else { return nil }
        agreed = verdict
        let cause: Transition.Cause = self.verdict == .unknown ? .first : .checks
        settle(at: now, brake: brake, mayFall: mayFall)
        return refresh(cause, at: now)
    }

    /// The node's checks have changed. Checks that remain keep their history.
    public mutating func use(_ next: HealthRules, at now: Moment) -> Transition? {
        guard next != rules else { return nil }
        let known = Dictionary(zip(rules.checks, records)) { first, _ in first }
        // The answers do not change until results require it: a node without checks was up.
        if rules.checks.isEmpty { verdict = .up }
        if next.checks.isEmpty {
            verdict = .unknown
            (flaps, recoveredAt, heldSince, agreed) = ([], nil, nil, nil)
        }
        records = next.checks.map { known[$0] ?? CheckRecord(verdict) }
        rules = next
        return refresh(.configuration, at: now)
    }

    /// Load or region allow a different share.
    public mutating func limit(_ next: ShareLimits, at now: Moment) -> Transition? {
        let cause: Transition.Cause = next.region != limits.region ? .region : .load
        limits = next
        return refresh(cause, at: now)
    }

    // MARK: - What follows

    /// Consecutive successes that bring a check back.
    private func needed(_ check: Check, at now: Moment) -> Int {
        let recent = flaps.count { now - $0 < HealthRules.dampingWindow }
        return check.rise << min(recent, HealthRules.dampingDoublings)
    }

    /// The combined verdict of its own checks. `unknown` if it depends on one without a result.
    public var opinion: CheckRecord.Verdict {
        if records.contains(where: { $0.verdict == .down }) { return .down }
        return records.allSatisfy { $0.verdict == .up } && !records.isEmpty ? .up : .unknown
    }

    /// Whether checks of two kinds fail.
    private var isConfirmed: Bool {
        Set(zip(rules.checks, records).filter { $1.verdict == .down }.map { $0.0.kind }).count > 1
    }

    /// Adopts the combined verdict of the checks, unless mass-failure protection holds it.
    private mutating func settle(at now: Moment, brake: Brake, mayFall: Bool) {
        let next = agreed ?? opinion
        guard next != .unknown, next != verdict else {
            if next == verdict { heldSince = nil }
            return
        }
        if verdict == .up, !mayFall, !isConfirmed {
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

    private mutating func refresh(_ cause: Transition.Cause, at now: Moment) -> Transition? {
        let before = condition.state
        let claim = claim(at: now)
        let modest = claim.flatMap { isModest($0) ? $0 : nil }
        if let claim, claim.authority > .checks || verdict == .unknown || modest?.state == .drained {
            authority = claim.authority
            rampSince = nil
            base = NodeCondition(state: claim.state, share: claim.share, ttl: NodeCondition.stable)
        } else {
            authority = .checks
            base.state = rules.checks.isEmpty || verdict == .up ? .up : verdict == .down ? .down : .unknown
            ramp(from: before, at: now)
            base.ttl = ttl(at: now)
            if let modest {
                authority = modest.authority
                (base.state, base.share) = (modest.state, min(base.share, modest.share))
            }
        }
        condition = authority > .checks ? base : limits.applied(to: base)
        guard condition.state != before else { return nil }
        return Transition(
            from: before, to: condition.state, cause: cause, authority: authority,
            author: claim?.authority == authority ? claim?.author : nil)
    }

    /// Whether a reporting node gives a worse state than its checks. That is believed; a better state is not.
    private func isModest(_ claim: Claim) -> Bool {
        claim.authority == .report && verdict == .up && (claim.state == .degraded || claim.state == .drained)
            && !rules.checks.allSatisfy(\.isAsked)
    }

    /// Lets the share grow after the node was out.
    private mutating func ramp(from before: HealthState, at now: Moment) {
        guard base.state == .up else {
            rampSince = nil
            base.share = 0
            return
        }
        let full = HealthState.fullShare
        let length = rules.checks.isEmpty ? 0 : rules.slowStartMilliseconds
        if !before.isUsable, before != .unknown { rampSince = now }
        if let since = rampSince, now - since < length {
            base.share = max(1, Int(Int64(full) * (now - since) / length))
        } else {
            rampSince = nil
            base.share = full
        }
    }

    /// Interval times probes until the next change, once a result has contradicted the verdict.
    private func ttl(at now: Moment) -> UInt32 {
        if rules.checks.isEmpty { return NodeCondition.stable }
        var soonest: Int64?
        func note(_ milliseconds: Int64) { soonest = min(soonest ?? .max, milliseconds) }
        func noteNext() { for check in rules.checks { note(check.intervalMilliseconds) } }
        let times = zip(rules.checks, records).map { check, record in
            record.probesToChange(fall: check.fall, needed: needed(check, at: now))
                .map { Int64($0) * check.intervalMilliseconds }
        }
        switch base.state {
        case .up:
            for time in times.compactMap(\.self) { note(time) }
            if heldSince != nil { noteNext() }
            if let rampSince { note(rules.slowStartMilliseconds - (now - rampSince)) }
        case .down:
            // It comes back with the last of its failing checks.
            let failing = zip(records, times).filter { $0.0.verdict == .down }.map(\.1)
            let last = failing.compactMap(\.self).max()
            if let last, !failing.contains(nil) { note(last) }
        default:
            noteNext()
        }
        return soonest.map { UInt32(clamping: min(max(1, ($0 + 999) / 1_000), Int64(NodeCondition.stable) - 1)) }
            ?? NodeCondition.stable
    }
}
