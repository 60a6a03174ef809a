public import IPNetworks

/// What is known of one node: the results of its checks, the claims on it, and the state of each of its families.
public struct NodeHealth: Hashable, Sendable {
    public private(set) var rules: HealthRules
    /// One for each check of the rules.
    public private(set) var records: [CheckRecord]
    /// In no order. At most one without a beginning for each authority.
    public internal(set) var claims: [Claim] = []
    /// Since when a window waits for another node of a pool to become usable.
    public internal(set) var windowHeldSince: Moment?
    /// The limits from load and region. Claims above the checks are not limited.
    public private(set) var limits = ShareLimits()
    /// At least one: one for each family that is judged by itself, else one for the whole node.
    public private(set) var families: [FamilyHealth]

    /// A node without results.
    ///
    /// - Parameter known: its state in an earlier run.
    public init(_ rules: HealthRules, known: Known = Known(), at now: Moment) {
        self.rules = rules
        claims = known.claims
        records = rules.checks.map { CheckRecord(known.verdict(of: $0.family)) }
        limits.load = known.limit
        families = rules.judged.map { FamilyHealth($0, rules.checks.isEmpty ? .unknown : known.verdict(of: $0)) }
        let part = Int64(known.share)
        if part > 0, part < HealthState.fullShare {
            let since = now + -(rules.slowStartMilliseconds * part / Int64(HealthState.fullShare))
            for index in families.indices where families[index].verdict == .up { families[index].rampSince = since }
        }
        _ = refresh(.first, at: now)
    }

    /// The state to persist.
    public struct Known: Hashable, Sendable {
        /// That of the better family.
        public var verdict: CheckRecord.Verdict
        /// Of families that differ from it.
        public var verdicts: [IPFamily: CheckRecord.Verdict]
        /// As ``NodeCondition/share``: a node that is recovering continues from there.
        public var share: Int
        /// The share that load and region allowed, 1 to 256.
        public var limit: Int
        public var claims: [Claim]

        public init(
            verdict: CheckRecord.Verdict = .unknown, verdicts: [IPFamily: CheckRecord.Verdict] = [:],
            share: Int = HealthState.fullShare, limit: Int = HealthState.fullShare, claims: [Claim] = []
        ) {
            self.verdict = verdict
            self.verdicts = verdicts
            self.share = share
            self.limit = limit
            self.claims = claims
        }

        func verdict(of family: IPFamily?) -> CheckRecord.Verdict { family.flatMap { verdicts[$0] } ?? verdict }
    }

    // MARK: - The node as a whole

    /// The combined verdict of its checks: that of the better family.
    public var verdict: CheckRecord.Verdict {
        let verdicts = families.map(\.verdict)
        return verdicts.contains(.up) ? .up : verdicts.contains(.unknown) ? .unknown : .down
    }

    /// The state of the better family: of answers that lead to the node whatever family the client then uses.
    public var condition: NodeCondition { .better(families.map(\.condition)) }

    /// The same, before load and region lower the share.
    public var base: NodeCondition { .better(families.map(\.base)) }

    /// What packets read.
    public var conditions: NodeConditions {
        let any = condition
        func one(_ family: IPFamily) -> NodeCondition { families.first { $0.family == family }?.condition ?? any }
        return NodeConditions(any: any, v4: one(.v4), v6: one(.v6))
    }

    /// Since when mass-failure protection keeps a family in rotation whose checks fail.
    public var heldSince: Moment? { families.compactMap(\.heldSince).min() }

    /// When slow start ends, and the share is no longer smaller for it. `nil`: no share is growing.
    public var fullShareAt: Moment? { families.compactMap(\.rampSince).max().map { $0 + rules.slowStartMilliseconds } }

    /// The authority that decides the state.
    public var authority: Authority { families.map(\.authority).max() ?? .checks }

    /// Whether time alone may change something.
    public var isInMotion: Bool {
        families.contains { $0.rampSince != nil || $0.heldSince != nil }
            || claims.contains { $0.begins != nil || $0.ends != nil }
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
        _ result: CheckResult, check: Int, at now: Moment, brake: Brake, mayFall: FallPermits
    ) -> [Transition] {
        let rules = rules.checks[check]
        let judges = families.first { rules.family == nil || $0.family == rules.family } ?? families[0]
        records[check].take(result, fall: rules.fall, rise: rules.rise, needed: judges.needed(rules, at: now))
        let cause: Transition.Cause = verdict == .unknown ? .first : .checks
        settle(at: now, brake: brake, mayFall: mayFall)
        return refresh(cause, at: now)
    }

    /// A claim is made. It replaces the one of the same authority; a window is added to the existing ones. A window
    /// that is due takes effect.
    public mutating func make(_ claim: Claim, at now: Moment) -> [Transition] {
        if claim.isWindow {
            add(window: claim, at: now)
        } else {
            claims.removeAll { $0.authority == claim.authority && !$0.isWindow }
            claims.append(claim)
        }
        return refresh(.claim, at: now)
    }

    /// Withdraws all claims of an authority, including its windows.
    ///
    /// - Parameter author: who does it, and why.
    public mutating func withdraw(_ authority: Authority, author: String? = nil, at now: Moment) -> [Transition] {
        claims.removeAll { $0.authority == authority }
        windowHeldSince = nil
        return refresh(.withdrawal, by: author, at: now)
    }

    /// Time passes: claims expire, windows begin, shares grow, and held failures take effect.
    ///
    /// - Parameter mayLeave: whether a window may take the node out.
    public mutating func advance(
        to now: Moment, brake: Brake, mayFall: FallPermits, mayLeave: Bool = true
    ) -> [Transition] {
        let before = claim(at: now)
        claims.removeAll { $0.isOver(at: now) }
        beginWindows(at: now, mayLeave: mayLeave)
        let held = families.map { $0.heldSince != nil }
        settle(at: now, brake: brake, mayFall: mayFall)
        // The end of a hold is what the checks said all along.
        return refresh(
            zip(families, held).map { $1 && $0.heldSince == nil && before == nil ? .checks : .schedule }, at: now)
    }

    /// The observers agree on a new verdict of a family, or there are no other observers any more (`nil`).
    public mutating func agree(
        on verdict: CheckRecord.Verdict?, of family: IPFamily?, at now: Moment, brake: Brake, mayFall: FallPermits
    ) -> [Transition] {
        guard !rules.checks.isEmpty else { return [] }
        for index in families.indices where family == nil || families[index].family == family {
            families[index].agreed = verdict
        }
        let cause: Transition.Cause = self.verdict == .unknown ? .first : .checks
        settle(at: now, brake: brake, mayFall: mayFall)
        return refresh(cause, at: now)
    }

    /// The node's checks have changed. Checks that remain keep their history.
    public mutating func use(_ next: HealthRules, at now: Moment) -> [Transition] {
        guard next != rules else { return [] }
        let known = Dictionary(zip(rules.checks, records)) { first, _ in first }
        // The answers do not change until results require it: a node without checks was up.
        if rules.checks.isEmpty { for index in families.indices { families[index].verdict = .up } }
        if next.judged != rules.judged { divide(by: next.judged) }
        if next.checks.isEmpty { for index in families.indices { families[index].forgetChecks() } }
        records = next.checks.map { check in known[check] ?? CheckRecord(health(of: check.family).verdict) }
        rules = next
        return refresh(.configuration, at: now)
    }

    /// Load or region allow a different share.
    public mutating func limit(_ next: ShareLimits, at now: Moment) -> [Transition] {
        let cause: Transition.Cause = next.region != limits.region ? .region : .load
        limits = next
        return refresh(cause, at: now)
    }

    // MARK: - What follows

    /// The state of a family; that of the whole node, where the family is not judged by itself.
    public func health(of family: IPFamily?) -> FamilyHealth { families.first { $0.family == family } ?? families[0] }

    /// Other families are judged from now on. Each begins with the state that it had.
    private mutating func divide(by judged: [IPFamily?]) {
        families = judged.map { family in
            var next = FamilyHealth(family, .unknown)
            let last = families.first { $0.family == family } ?? families.first { $0.family == nil } ?? families[0]
            (next.verdict, next.agreed, next.heldSince) = (last.verdict, last.agreed, last.heldSince)
            (next.base, next.condition, next.authority) = (last.base, last.condition, last.authority)
            (next.flaps, next.recoveredAt, next.rampSince) = (last.flaps, last.recoveredAt, last.rampSince)
            return next
        }
    }

    /// The combined verdict of this daemon's checks of a family. `unknown` if it depends on one without a result.
    public func opinion(of family: IPFamily?) -> CheckRecord.Verdict {
        let records = counted(for: family).map(\.record)
        if records.contains(where: { $0.verdict == .down }) { return .down }
        return records.allSatisfy { $0.verdict == .up } && !records.isEmpty ? .up : .unknown
    }

    /// The checks that decide a family, with what is known of them: those of the whole node and its own. A family that
    /// this host cannot ask follows one that it can ask.
    private func counted(for family: IPFamily?) -> [(check: Check, record: CheckRecord)] {
        let all = zip(rules.checks, records).map { (check: $0, record: $1) }
        func isBlind(_ family: IPFamily?) -> Bool {
            all.allSatisfy { $0.check.family != family || $0.check.family == nil || $0.record.isUnasked }
        }
        var source = family
        if family != nil, isBlind(family), let other = families.first(where: { !isBlind($0.family) }) {
            source = other.family
        }
        return all.filter { $0.check.family == nil || $0.check.family == source }
    }

    /// Whether the failure of a family is beyond doubt: checks of two kinds fail, or the node refused a connection,
    /// which shows that the network works.
    private func isCertain(_ family: IPFamily?) -> Bool {
        let failing = counted(for: family).filter { $0.record.verdict == .down }
        return failing.contains { $0.record.isRefused } || Set(failing.map(\.check.kind)).count > 1
    }

    /// Adopts the combined verdicts of the checks, unless mass-failure protection holds them.
    private mutating func settle(at now: Moment, brake: Brake, mayFall: FallPermits) {
        for index in families.indices {
            let family = families[index].family
            families[index].settle(
                families[index].agreed ?? opinion(of: family), isCertain: isCertain(family), at: now, brake: brake,
                mayFall: mayFall[family])
        }
    }

    private mutating func refresh(
        _ cause: Transition.Cause, by author: String? = nil, at now: Moment
    ) -> [Transition] {
        refresh(families.map { _ in cause }, by: author, at: now)
    }

    /// - Parameter causes: of each family's change.
    private mutating func refresh(
        _ causes: [Transition.Cause], by author: String? = nil, at now: Moment
    ) -> [Transition] {
        let before = families.map(\.condition.state)
        let claim = claim(at: now)
        for index in families.indices { refresh(&families[index], claim, at: now) }
        let changed = families.indices.filter { families[$0].condition.state != before[$0] }.map { index in
            let family = families[index]
            return Transition(
                from: before[index], to: family.condition.state, cause: causes[index], authority: family.authority,
                author: claim?.authority == family.authority ? claim?.author : author, family: family.family)
        }
        guard let first = changed.first, changed.count == families.count,
            changed.allSatisfy({ $0.from == first.from && $0.to == first.to })
        else { return changed }
        return [first.ofNode]
    }

    private func refresh(_ family: inout FamilyHealth, _ claim: Claim?, at now: Moment) {
        let before = family.condition.state
        let modest = claim.flatMap { isModest($0, family) ? $0 : nil }
        if let claim, claim.authority > .checks || family.verdict == .unknown || modest?.state == .drained {
            family.authority = claim.authority
            family.rampSince = nil
            family.base = NodeCondition(state: claim.state, share: claim.share, ttl: NodeCondition.stable)
        } else {
            family.authority = .checks
            family.base.state =
                rules.checks.isEmpty || family.verdict == .up ? .up : family.verdict == .down ? .down : .unknown
            family.ramp(from: before, over: rules.checks.isEmpty ? 0 : rules.slowStartMilliseconds, at: now)
            family.base.ttl = ttl(of: family, at: now)
            if let modest {
                family.authority = modest.authority
                (family.base.state, family.base.share) = (modest.state, min(family.base.share, modest.share))
            }
        }
        family.condition = family.authority > .checks ? family.base : limits.applied(to: family.base)
    }

    /// Whether a reporting node gives a worse state than its checks. That is believed; a better state is not.
    private func isModest(_ claim: Claim, _ family: FamilyHealth) -> Bool {
        claim.authority == .report && family.verdict == .up && (claim.state == .degraded || claim.state == .drained)
            && !rules.checks.allSatisfy(\.isAsked)
    }

    /// Interval times probes until the next change, once a result has contradicted the verdict.
    private func ttl(of family: FamilyHealth, at now: Moment) -> UInt32 {
        if rules.checks.isEmpty { return NodeCondition.stable }
        let counted = counted(for: family.family)
        var soonest: Int64?
        func note(_ milliseconds: Int64) { soonest = min(soonest ?? .max, milliseconds) }
        func noteNext() { for (check, _) in counted { note(check.intervalMilliseconds) } }
        let times = counted.map { check, record in
            record.probesToChange(fall: check.fall, needed: family.needed(check, at: now))
                .map { Int64($0) * check.intervalMilliseconds }
        }
        switch family.base.state {
        case .up:
            for time in times.compactMap(\.self) { note(time) }
            if family.heldSince != nil { noteNext() }
            if let rampSince = family.rampSince { note(rules.slowStartMilliseconds - (now - rampSince)) }
        case .down:
            // It comes back with the last of its failing checks.
            let failing = zip(counted, times).filter { $0.0.record.verdict == .down }.map(\.1)
            let last = failing.compactMap(\.self).max()
            if let last, !failing.contains(nil) { note(last) }
        default:
            noteNext()
        }
        return soonest.map { UInt32(clamping: min(max(1, ($0 + 999) / 1_000), Int64(NodeCondition.stable) - 1)) }
            ?? NodeCondition.stable
    }
}
