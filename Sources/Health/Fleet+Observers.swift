/// What several vantage points agree on.
extension Fleet {
    /// The vantage points agree on something else of a node.
    ///
    /// - Parameter verdict: `nil`: there is nobody to agree with any more.
    public mutating func agree(
        on verdict: CheckRecord.Verdict?, of id: String, at now: Moment
    ) -> Effect? {
        let (brake, mayFall) = (brake, mayFall(id, at: now))
        return change(id, at: now) { $0.agree(on: verdict, at: now, brake: brake, mayFall: mayFall) }
    }
}
