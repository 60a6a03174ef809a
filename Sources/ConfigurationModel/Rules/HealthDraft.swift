import Health
import IPNetworks

/// The values of one `health`: top level, pool or node. Missing values come from the level above.
struct HealthDraft {
    /// Timing and thresholds of checks. `nil`: not given here.
    struct Pace {
        var interval: Int?
        var timeout: Int?
        var fall: Int?
        var rise: Int?

        /// Missing values are taken from `outer`.
        func within(_ outer: Pace) -> Pace {
            Pace(
                interval: interval ?? outer.interval, timeout: timeout ?? outer.timeout, fall: fall ?? outer.fall,
                rise: rise ?? outer.rise)
        }
    }

    /// A check that may apply to many nodes.
    struct CheckDraft {
        let probe: Check.Probe
        let target: IPAddress?
        let source: IPAddress?
        let pace: Pace
        let mark: DocumentLocation
    }

    var pace = Pace()
    var slowStart: Int?
    /// Milliseconds after which a report is missing. Top level only.
    var missingAfter: Int?
    var load: Load?
    /// `nil`: the checks of the level above. Empty: none.
    var checks: [CheckDraft]?
    let mark: DocumentLocation

    func within(_ outer: HealthDraft) -> HealthDraft {
        HealthDraft(
            pace: pace.within(outer.pace), slowStart: slowStart ?? outer.slowStart,
            missingAfter: missingAfter ?? outer.missingAfter, load: load?.within(outer.load) ?? outer.load,
            checks: checks ?? outer.checks, mark: mark)
    }
}
