public import IPNetworks

/// The agreed verdicts of several observers.
extension Fleet {
    /// The observers agree on a new verdict for a node, or for one of its families.
    ///
    /// - Parameter verdict: `nil`: there are no other observers any more.
    public mutating func agree(
        on verdict: CheckRecord.Verdict?, of id: String, _ family: IPFamily? = nil, at now: Moment
    ) -> Effect? {
        let (brake, mayFall) = (brake, mayFall(id, at: now))
        return change(id, at: now) { $0.agree(on: verdict, of: family, at: now, brake: brake, mayFall: mayFall) }
    }
}
