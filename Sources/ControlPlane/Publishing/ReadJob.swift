import ControlFailures
import DNSWire
import ModelCompiler

/// A job that reads the desired state. One job runs at a time, and requests for a reload that wait share one job.
struct ReadJob {
    typealias ID = ChangeLog.ID
    typealias Outcome = Result<ReadOutcome, ControlFailure>

    enum Kind {
        /// Reads while records change, then publishes.
        case reload(ReloadTrigger)
        /// The same, unless what is served or what is read is not as it was planned.
        case apply(PlannedRevision)
        /// Replaces the stored record changes and publishes; nothing else changes meanwhile.
        case keep(KeptChange)
    }

    let kind: Kind
    /// Whether it has read everything. If so, it waits in the queue or is being published.
    var isRead = false
    var replies: [CheckedContinuation<Outcome, Never>]

    func answer(_ outcome: Outcome) {
        for reply in replies { reply.resume(returning: outcome) }
    }
}

/// Computes from what is served the record changes to store from now on, and how many RRsets are affected.
typealias KeptChange = @Sendable (Served) -> Result<([DomainName: ZoneChanges], count: Int), ControlFailure>

/// What a read job led to.
struct ReadOutcome: Sendable {
    /// `nil`: nothing had to be read.
    var reload: ReloadOutcome?
    /// How many RRsets are affected.
    var count = 0
}

/// What was read and planned, ready to be published. Nothing that is served has changed.
struct Preparation: Sendable {
    let id: ChangeLog.ID
    let trigger: ReloadTrigger
    let start: ContinuousClock.Instant
    /// What was served when the reading began.
    let base: LoadedModel
    /// The record changes that were kept then, and were applied to what was read.
    let applied: [DomainName: ZoneChanges]
    let revision: Revision
    let compiled: Revision.Compiled
    let difference: ModelDifference
    let configuration: ConfigurationDifference
    let loadSeconds: Double
    /// Found for `compiled` since `base`; records may have changed meanwhile.
    let way: TablePlanner.Way
    /// Of the publisher when the reading began.
    let tablesVersion: Int
    /// Record changes to keep from now on; `nil`: as they are.
    let keeping: [DomainName: ZoneChanges]?
}
