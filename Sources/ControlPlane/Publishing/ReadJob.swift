import ControlFailures
import DNSWire
import ModelCompiler

/// Work that reads what is desired: one job at a time. Requests for a reload that wait share one.
struct ReadJob {
    typealias ID = ChangeLog.ID
    typealias Outcome = Result<ReadOutcome, ControlFailure>

    enum Kind {
        /// Reads while records change, then publishes.
        case reload(ReloadTrigger)
        /// Publishes with other record changes kept; nothing changes meanwhile.
        case keep(KeptChange)
    }

    let kind: Kind
    /// Whether it has read everything: it waits in the queue then, or is being published.
    var isRead = false
    var replies: [CheckedContinuation<Outcome, Never>]

    func answer(_ outcome: Outcome) {
        for reply in replies { reply.resume(returning: outcome) }
    }
}

/// What record changes are to be kept from now on, and how many RRsets that concerns.
typealias KeptChange = @Sendable (Served) -> Result<([DomainName: ZoneChanges], count: Int), ControlFailure>

/// What a read job led to.
struct ReadOutcome: Sendable {
    /// `nil`: nothing had to be read.
    var reload: ReloadOutcome?
    /// RRsets whose change is not kept any more.
    var count = 0
}

/// What was read and planned, ready to be published. Nothing that serves has been touched.
struct Preparation: Sendable {
    let id: ChangeLog.ID
    let trigger: ReloadTrigger
    let start: ContinuousClock.Instant
    /// What served when the reading began.
    let base: LoadedModel
    let revision: Revision
    let compiled: Revision.Compiled
    let difference: ModelDifference
    let loadSeconds: Double
    /// Found for `compiled` since `base`; records may have changed meanwhile.
    let way: TablePlanner.Way
    /// Of the publisher when the reading began.
    let tablesVersion: Int
    /// Record changes to keep from now on; `nil`: as they are.
    let keeping: [DomainName: ZoneChanges]?
}
