import DNSWire
package import Simulation

/// What a change would do, before anything is changed.
package struct ChangePlan: Sendable {
    /// What differs, and what is wrong with it.
    package let preview: ReloadPreview
    /// Which clients other nodes would serve.
    package let effect: ChangeEffect
    /// Why it needs a second look; none: it can be applied at once.
    package let guards: [TrippedGuard]
    package let revision: PlannedRevision
    /// Computing the effect, in seconds.
    package let effectSeconds: Double

    init(_ candidate: ChangeCandidate, _ effect: ChangeEffect, effectSeconds: Double) {
        preview = candidate.preview
        self.effect = effect
        guards = TrippedGuard.all(candidate, effect)
        revision = candidate.revision
        self.effectSeconds = effectSeconds
    }
}

/// What was read for a plan.
struct ChangeCandidate: Sendable {
    let preview: ReloadPreview
    let revision: PlannedRevision
    /// Zones whose name servers at the apex differ.
    let apexes: [DomainName]
    /// How many records the zones have that records leave, by origin.
    let records: [DomainName: Int]
}
