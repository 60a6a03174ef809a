import Health
import LinuxSupport

/// Runs the probes that a scheduler asks for. Both belong to one thread, on which all of this is called.
///
///     plan ──► scheduler ── steps ──► transport ──► nodes
///                  ▲                      │ outcomes
///                  └──────────────────────┘
protocol ProbeTransport: AnyObject {
    var scheduler: ProbeScheduler { get set }
    /// Takes results in the order of arrival.
    var report: ([ProbeReport]) -> Void { get }

    /// Starts a probe. Its outcome goes to ``finish(_:_:)``, at once or later.
    func begin(_ id: ProbeID, _ check: Check)

    /// Releases the resources of a probe. Its outcome is discarded.
    func cancel(_ id: ProbeID)
}

extension ProbeTransport {
    /// Does everything that is due at `now`. What becomes due during the call waits for the next one, so that answers
    /// are read in between.
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
