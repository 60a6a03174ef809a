/// A change set was planned, or closed.
package struct ChangeNews: Hashable, Sendable {
    package let number: UInt64
    package let state: ChangeSet.State
    /// Who did that.
    package let author: String
    package let reason: String?
    /// The guards that it trips.
    package let guards: [Guard]
    /// The epoch that serves it, once it is applied.
    package let epoch: UInt64?
}

extension ChangeSet {
    var news: ChangeNews {
        ChangeNews(
            number: number, state: state, author: closedBy ?? author, reason: reason,
            guards: plan.guards.map(\.guard), epoch: epoch)
    }
}
