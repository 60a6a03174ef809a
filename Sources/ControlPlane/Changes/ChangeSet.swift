import ControlFailures
package import Foundation

/// A planned change of configuration and zones, and what became of it.
///
///     planned ──► applying ──► applied
///        │            ├──────► stale      what is served, or the files, changed meanwhile
///        │            └──────► planned    it could not be served; it may be tried again
///        ├───────────────────► stale      a later version of the files was proposed
///        └───────────────────► withdrawn
package struct ChangeSet: Sendable {
    package enum State: String, CaseIterable, Sendable {
        case planned, applying, applied, stale, withdrawn
    }

    package let number: UInt64
    package let plannedAt: Date
    /// Who planned it, and what was said about it.
    package let author: String
    package let reason: String?
    package let plan: ChangePlan
    package private(set) var state = State.planned
    package private(set) var closedAt: Date?
    package private(set) var closedBy: String?
    /// The guards that were accepted when it was applied.
    package private(set) var accepted: [Guard] = []
    /// The epoch that serves it.
    package private(set) var epoch: UInt64?

    init(number: UInt64, at date: Date, author: String, reason: String?, _ plan: ChangePlan) {
        (self.number, plannedAt, self.author, self.reason, self.plan) = (number, date, author, reason, plan)
    }

    /// - Throws: `conflict` if it is closed, is not whole, or trips a guard that is not among `accepted`.
    func requireApplicable(accepting accepted: Set<Guard>) throws(ControlFailure) {
        try requireOpen()
        guard plan.preview.problems.isEmpty else {
            throw ControlFailure(
                .conflict, "change \(number) cannot be applied as a whole: \(plan.preview.problems[0])",
                remedy: "correct that, and plan it again")
        }
        let tripped = plan.guards.filter { !accepted.contains($0.guard) }
        guard tripped.isEmpty else {
            let measures = tripped.map { "\($0.guard.rawValue) (\($0.measure))" }
            throw ControlFailure(
                .conflict, "change \(number) is guarded: \(measures.joined(separator: "; "))",
                remedy: "accept that by name if it is meant: "
                    + tripped.map { "--accept \($0.guard.rawValue)" }.joined(separator: " "))
        }
    }

    func requireOpen() throws(ControlFailure) {
        switch state {
        case .planned: return
        case .applying:
            throw ControlFailure(
                .conflict, "change \(number) is being applied", remedy: "nearcast changes \(number) shows how it ends")
        case .applied, .stale, .withdrawn:
            throw ControlFailure(
                .conflict, "change \(number) is \(state.rawValue) already",
                remedy: "plan the files again if they differ")
        }
    }

    /// Until it ends, nobody else can apply, withdraw or replace it.
    mutating func begin() { state = .applying }

    /// It could not be served, and may be tried again.
    mutating func giveUp() { state = .planned }

    /// Serving it has succeeded.
    mutating func apply(as epoch: UInt64, accepting accepted: Set<Guard>, at date: Date, by author: String) {
        self.epoch = epoch
        self.accepted = plan.guards.map(\.guard).filter(accepted.contains)
        close(as: .applied, at: date, by: author)
    }

    mutating func close(as state: State, at date: Date, by author: String) {
        (self.state, closedAt, closedBy) = (state, date, author)
    }
}
