import ControlFailures
import Synchronization

/// Fails one step of whatever is done next: each call of the source, the store or the fast path is a step.
final class Faults: Sendable {
    struct Failure: Error {}

    private struct Contents {
        /// Steps until the one that fails; `nil`: none fails.
        var left: Int?
        var hasFired = false
    }

    private let contents = Mutex(Contents())

    /// Lets the step of this number fail, counted from 1.
    func arm(at step: Int) { contents.withLock { $0 = Contents(left: step) } }

    /// Lets all steps succeed again.
    ///
    /// - Returns: whether a step has failed.
    @discardableResult
    func disarm() -> Bool {
        contents.withLock { contents in
            defer { contents.left = nil }
            return contents.hasFired
        }
    }

    var hasFired: Bool { contents.withLock { $0.hasFired } }

    /// Whether this step fails.
    func isDue() -> Bool {
        contents.withLock { contents in
            guard let left = contents.left else { return false }
            contents.left = left > 1 ? left - 1 : nil
            if left == 1 { contents.hasFired = true }
            return left == 1
        }
    }

    func step() throws(Failure) {
        if isDue() { throw Failure() }
    }
}
