/// The share that a node's load allows: a controller with bounded steps. Each step uses a report that is newer than the
/// effect of the step before.
///
///            above shedAbove: down by a step, no further than to the target
///     full ───────────────────────────────────────────────────────────────► shed
///          ◄─────────────────────────────────────────────────────────────── below backBelow: up, as carefully
///
/// It estimates the load at another share by proportion. If the load follows more slowly than it waits, it overshoots
/// and must reverse. Each reversal doubles the wait until it is long enough, so the controller settles whatever the
/// delay.
public struct LoadShare: Hashable, Sendable {
    /// In 256ths, 1 to 256.
    public private(set) var share: Int
    /// The latest report.
    public private(set) var sample: LoadSample?
    /// When the share last changed, or could not be judged.
    private var changedAt: Moment
    /// When the load was last known.
    private var knownAt: Moment
    /// -1: the last change shed clients. 1: it brought them back.
    private var direction = 0
    private var doublings = 0
    /// When the wait last doubled.
    private var turnedAt: Moment

    /// - Parameter share: the share from an earlier run.
    public init(share: Int = HealthState.fullShare, at now: Moment) {
        self.share = min(max(share, 1), HealthState.fullShare)
        (changedAt, knownAt, turnedAt) = (now, now, now)
    }

    /// Takes a report, unless a newer one is known.
    public mutating func take(_ next: LoadSample) {
        if let sample, sample.at > next.at { return }
        // A report without capacity keeps the capacity reported before.
        sample = LoadSample(load: next.load, capacity: next.capacity ?? sample?.capacity, at: next.at)
        knownAt = max(knownAt, next.at)
    }

    /// The last reported load in percent of the capacity. `nil` if either is unknown.
    public func use(_ rules: LoadRules) -> Double? {
        guard let sample, let capacity = rules.capacity ?? sample.capacity else { return nil }
        return sample.load / capacity * 100
    }

    /// Advances time.
    ///
    /// - Parameter isServing: whether the node takes the clients of its share. Otherwise its load means nothing.
    public mutating func advance(to now: Moment, by rules: LoadRules, isServing: Bool) {
        guard isServing else {
            changedAt = now
            return
        }
        if now - turnedAt >= LoadRules.calmMilliseconds { doublings = 0 }
        let wait = wait(rules)
        guard now - changedAt >= wait else { return }
        if let use = freshUse(rules, at: now) {
            guard let sample, sample.at - changedAt >= wait else { return }
            move(to: next(use, rules), at: now)
        } else if now - knownAt >= LoadRules.memoryMilliseconds {
            move(to: min(share + rules.step, HealthState.fullShare), at: now)
        }
    }

    /// Seconds until the share changes again, once that is foreseeable.
    public func ttl(_ rules: LoadRules, at now: Moment) -> UInt32? {
        let isLeaving: Bool
        if let use = freshUse(rules, at: now) {
            isLeaving = next(use, rules) != share
        } else {
            isLeaving = share < HealthState.fullShare && now - knownAt >= LoadRules.memoryMilliseconds
        }
        return isLeaving ? UInt32(clamping: max(1, wait(rules) / 1_000)) : nil
    }

    private func wait(_ rules: LoadRules) -> Int64 { rules.settleMilliseconds << Int64(doublings) }

    private func freshUse(_ rules: LoadRules, at now: Moment) -> Double? {
        guard let sample, now - sample.at < max(LoadRules.freshMilliseconds, 2 * wait(rules)) else { return nil }
        return use(rules)
    }

    /// The next share to aim for.
    private func next(_ use: Double, _ rules: LoadRules) -> Int {
        let full = HealthState.fullShare
        let wanted = use > 0 ? Int(min(Double(share) * rules.target / use, Double(full))) : full
        if use > Double(rules.shedAbove) { return max(1, share - rules.step, wanted) }
        // If the full share would be fine, nothing limits the node.
        guard share < full, use < Double(rules.backBelow) || wanted == full else { return share }
        return max(share, min(share + rules.step, wanted))
    }

    private mutating func move(to next: Int, at now: Moment) {
        guard next != share else { return }
        let turn = next < share ? -1 : 1
        if turn == -direction, now - changedAt < LoadRules.turnMilliseconds {
            doublings = min(doublings + 1, LoadRules.doublings)
            turnedAt = now
        }
        (share, direction, changedAt) = (next, turn, now)
    }
}
