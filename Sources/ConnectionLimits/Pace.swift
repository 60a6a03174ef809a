/// A rate limit per crowd for something expensive: a common budget while it lasts, then a small budget of each crowd's
/// own.
///
/// So a crowd that asks seldom is always served, and one that asks often is served while others leave something over. A
/// budget is stored as the time at which it will be full again (the generic cell rate algorithm). A crowd with a full
/// budget needs no entry.
package struct Pace<Crowd: Hashable & Sendable>: Sendable {
    /// A burst, and a rate per second.
    package struct Budget: Sendable, Hashable {
        package let burst: Int
        package let perSecond: Int

        /// - Parameters:
        ///   - burst: at least 1.
        ///   - perSecond: at least 1.
        package init(burst: Int, perSecond: Int) {
            precondition(burst >= 1 && perSecond >= 1, "an empty budget admits nothing")
            self.burst = burst
            self.perSecond = perSecond
        }

        fileprivate var interval: UInt64 { 1_000_000_000 / UInt64(perSecond) }

        /// Takes one unit from a budget that is full again at `whole`.
        ///
        /// - Returns: when it is full again after that. `nil` when nothing is left.
        fileprivate func spend(_ whole: UInt64, at now: UInt64) -> UInt64? {
            let next = max(whole, now) + interval
            return next - now <= interval * UInt64(burst) ? next : nil
        }
    }

    private let common: Budget
    private let own: Budget
    private let capacity: Int
    private var commonWhole: UInt64 = 0
    private var whole: [Crowd: UInt64] = [:]
    private var swept: UInt64 = 0

    /// - Parameter capacity: maximum number of tracked crowds. Further ones pass, so that a flood of crowds does not
    ///   lock a new one out.
    package init(common: Budget, own: Budget, capacity: Int = 4_096) {
        self.common = common
        self.own = own
        self.capacity = capacity
    }

    /// Crowds that have spent something lately.
    package var count: Int { whole.count }

    /// Requests one unit.
    ///
    /// - Parameter now: nanoseconds of a clock that never goes back.
    /// - Returns: false when both budgets are empty.
    package mutating func take(for crowd: Crowd, at now: UInt64) -> Bool {
        if let next = own.spend(whole[crowd] ?? 0, at: now) {
            remember(crowd, next, at: now)
            // What a crowd takes from its own budget still counts in the common one.
            commonWhole = common.spend(commonWhole, at: now) ?? commonWhole
            return true
        }
        guard let next = common.spend(commonWhole, at: now) else { return false }
        commonWhole = next
        return true
    }

    private mutating func remember(_ crowd: Crowd, _ next: UInt64, at now: UInt64) {
        if whole.count >= capacity, whole[crowd] == nil {
            // Once a second: the amortised work per call stays constant.
            guard now - swept >= 1_000_000_000 else { return }
            swept = now
            whole = whole.filter { $0.value > now }
            guard whole.count < capacity else { return }
        }
        whole[crowd] = next
    }
}
