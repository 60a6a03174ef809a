import Health
import IPNetworks

/// What one `health` says: of the whole configuration, of a pool or of a node. What it leaves open comes from further out.
struct HealthDraft {
    /// How often and how patiently something is asked; `nil`: not said here.
    struct Pace {
        var interval: Int?
        var timeout: Int?
        var fall: Int?
        var rise: Int?

        /// What is not said here is as in `outer`.
        func within(_ outer: Pace) -> Pace {
            Pace(
                interval: interval ?? outer.interval, timeout: timeout ?? outer.timeout, fall: fall ?? outer.fall,
                rise: rise ?? outer.rise)
        }
    }

    /// A check that may be for many nodes.
    struct CheckDraft {
        let probe: Check.Probe
        let target: IPAddress?
        let source: IPAddress?
        let pace: Pace
        let mark: DocumentLocation
    }

    var pace = Pace()
    var slowStart: Int?
    /// Milliseconds after which a report is missing; of the whole configuration only.
    var missingAfter: Int?
    var load: Load?
    /// `nil`: those from further out; empty: none.
    var checks: [CheckDraft]?
    let mark: DocumentLocation

    func within(_ outer: HealthDraft) -> HealthDraft {
        HealthDraft(
            pace: pace.within(outer.pace), slowStart: slowStart ?? outer.slowStart,
            missingAfter: missingAfter ?? outer.missingAfter, load: load?.within(outer.load) ?? outer.load,
            checks: checks ?? outer.checks, mark: mark)
    }
}
