/// What a check's results have come to: a verdict that changes only after so many results in a row that contradict it.
public struct CheckRecord: Hashable, Sendable {
    public enum Verdict: String, Hashable, Sendable {
        /// No result yet.
        case unknown
        case up, down
    }

    public private(set) var verdict: Verdict
    /// Results in a row that contradict the verdict, the last one included.
    public private(set) var contrary = 0
    /// Results in a row that agree, since the last contrary one; `nil`: none was contrary, or long ago.
    private var calm: Int?

    public init(_ verdict: Verdict = .unknown) { self.verdict = verdict }

    /// Takes a result. The first verdict is the first result; then the thresholds apply.
    ///
    /// - Parameters:
    ///   - rise: of the check, beyond which a success calms.
    ///   - needed: successes in a row that bring it back, which damping may have raised.
    mutating func take(passed: Bool, fall: Int, rise: Int, needed: Int) {
        let result: Verdict = passed ? .up : .down
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

    /// Probes until the verdict may change at the earliest; `nil` while none has contradicted it of late.
    func probesToChange(fall: Int, needed: Int) -> Int? {
        guard calm != nil else { return nil }
        return max(1, (verdict == .up ? fall : needed) - contrary)
    }
}
