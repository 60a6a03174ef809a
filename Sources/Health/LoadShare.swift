/// The share that a node's load leaves it: a controller that moves in bounded steps, each made on a report that is younger
/// than what the one before it brought about.
///
///            above shedAbove: down by a step, no further than to the target
///     full ───────────────────────────────────────────────────────────────► shed
///          ◄─────────────────────────────────────────────────────────────── below backBelow: up, as carefully
///
/// It estimates the load at another share by proportion. Where the load follows more slowly than it waits, it goes too far
/// and has to turn back; each turn doubles the wait, until it is long enough. So it comes to rest whatever the delay.
public struct LoadShare: Hashable, Sendable {
    /// In 256ths, 1 to 256.
    public private(set) var share: Int
    /// What was reported last.
    public private(set) var sample: LoadSample?
    /// When the share changed, or could not be judged.
    private var changedAt: Moment
    /// When something was known of the load.
    private var knownAt: Moment
    /// -1: the last change shed, 1: it brought back.
    private var direction = 0
    private var doublings = 0
    /// When it doubled last.
    private var turnedAt: Moment

    /// - Parameter share: of an earlier run.
    public init(share: Int = HealthState.fullShare, at now: Moment) {
        self.share = min(max(share, 1), HealthState.fullShare)
        (changedAt, knownAt, turnedAt) = (now, now, now)
    }

    /// Takes a report, unless a younger one is there.
    public mutating func take(_ next: LoadSample) {
        if let sample, sample.at > next.at { return }
        // Who says its load alone has the capacity that was said before.
        sample = LoadSample(load: next.load, capacity: next.capacity ?? sample?.capacity, at: next.at)
        knownAt = max(knownAt, next.at)
    }

    /// Load in percent of the capacity, of the last report; `nil` where one of them is not known.
    public func use(_ rules: LoadRules) -> Double? {
        guard let sample, let capacity = rules.capacity ?? sample.capacity else { return nil }
        return sample.load / capacity * 100
    }

    /// Time passes.
    ///
    /// - Parameter isServing: whether the node takes the clients that the share gives it; otherwise its load says nothing.
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

    /// Seconds until the share changes again, once that is in sight.
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

    /// The share to be had next.
    private func next(_ use: Double, _ rules: LoadRules) -> Int {
        let full = HealthState.fullShare
        let wanted = use > 0 ? Int(min(Double(share) * rules.target / use, Double(full))) : full
        if use > Double(rules.shedAbove) { return max(1, share - rules.step, wanted) }
        // Where the whole share would do, nothing keeps the node from it.
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
