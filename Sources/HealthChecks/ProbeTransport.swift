import Health
import LinuxSupport

/// Carries out the probes that a scheduler asks for. Both belong to one thread, on which all of this is called.
///
///     plan ──► scheduler ── steps ──► transport ──► nodes
///                  ▲                      │ outcomes
///                  └──────────────────────┘
protocol ProbeTransport: AnyObject {
    var scheduler: ProbeScheduler { get set }
    /// Takes results, in the order in which they came.
    var report: ([ProbeReport]) -> Void { get }

    /// Begins a probe. Its outcome goes to ``finish(_:_:)``, now or later.
    func begin(_ id: ProbeID, _ check: Check)

    /// Frees what a probe holds. Its outcome is of no interest any more.
    func cancel(_ id: ProbeID)
}

extension ProbeTransport {
    /// Does all that is due by `now`. What becomes due meanwhile waits for the next call, so that what nodes send is read
    /// between the two.
    func advance(to now: Int64) {
        while let step = scheduler.next(at: now) {
            switch step {
            case .begin(let id, let check): begin(id, check)
            case .cancel(let id): cancel(id)
            case .report(let reports): report(reports)
            }
        }
    }

    func finish(_ id: ProbeID, _ outcome: ProbeOutcome) {
        scheduler.finish(id, outcome, at: MonotonicClock.nanoseconds)
    }
}
