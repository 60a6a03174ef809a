/// What one run of a check found.
public enum CheckResult: String, Hashable, Sendable {
    case passed, failed
    /// The node refused the connection: it fails, and the network between works.
    case refused
    /// This host could not ask. That says nothing about the node.
    case unasked
}

/// The verdict of a check. It changes only after enough consecutive results that contradict it.
public struct CheckRecord: Hashable, Sendable {
    public enum Verdict: String, Hashable, Sendable {
        /// No result yet.
        case unknown
        case up, down
    }

    public private(set) var verdict: Verdict
    /// Consecutive results that contradict the verdict, the last one included.
    public private(set) var contrary = 0
    /// Consecutive results that agree, since the last contrary one. `nil`: there was none, or long ago.
    private var calm: Int?

    /// Whether this host could not ask last time, so that the verdict may be old.
    public private(set) var isUnasked = false
    /// Whether the last result was a refused connection.
    public private(set) var isRefused = false

    public init(_ verdict: Verdict = .unknown) { self.verdict = verdict }

    /// Takes a result. The first result becomes the first verdict. Then the thresholds apply.
    ///
    /// - Parameters:
    ///   - rise: the check's own threshold. After so many successes in a row a past contradiction is forgotten.
    ///   - needed: consecutive successes that bring it back, which damping may have raised.
    mutating func take(_ outcome: CheckResult, fall: Int, rise: Int, needed: Int) {
        guard outcome != .unasked else {
            isUnasked = true
            return
        }
        let passed = outcome == .passed
        let result: Verdict = passed ? .up : .down
        defer { (isUnasked, isRefused) = (false, outcome == .refused) }
        if verdict == .unknown {
            self = CheckRecord(result)
        } else if verdict == result {
            contrary = 0
            calm = calm.flatMap { $0 + 1 < (passed ? rise : fall) ? $0 + 1 : nil }
        } else {
            contrary += 1
            calm = 0
            if contrary >= (passed ? needed : fall) { self = CheckRecord(result) }
        }
    }

    /// The fewest probes until the verdict may change. `nil` while no recent result contradicts it.
    func probesToChange(fall: Int, needed: Int) -> Int? {
        guard calm != nil else { return nil }
        return max(1, (verdict == .up ? fall : needed) - contrary)
    }
}
