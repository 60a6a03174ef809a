import Foundation

/// Waits until the condition holds, for a minute at most: how long it takes depends on the machine, and is no test's verdict.
///
/// - Returns: whether it held.
@discardableResult
public func eventually(_ condition: () throws -> Bool) rethrows -> Bool {
    let limit = ContinuousClock.now + .seconds(60)
    while try !condition() {
        guard ContinuousClock.now < limit else { return false }
        usleep(2_000)
    }
    return true
}

/// The value, once it has been the same for a fifth of a second.
public func settled<Value: Equatable>(_ value: () -> Value) -> Value {
    var (last, rounds) = (value(), 0)
    eventually {
        let now = value()
        rounds = now == last ? rounds + 1 : 0
        last = now
        return rounds == 100
    }
    return last
}
