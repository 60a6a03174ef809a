import ControlFailures
import ModelCompiler

/// What was served when a change was planned, and what the plan leads to.
package struct PlannedRevision: Hashable, Sendable {
    let base: RevisionFingerprint
    let next: RevisionFingerprint

    /// Computes for as long as the configuration is large; call it on a thread of its own.
    init(from base: LoadedModel, to next: LoadedModel) {
        (self.base, self.next) = (RevisionFingerprint(base), RevisionFingerprint(next))
    }

    /// - Throws: `conflict` if the plan is stale.
    func require(_ preparation: Preparation) async throws(ControlFailure) {
        let (base, next) = (preparation.base, preparation.compiled.loaded)
        let found = await onOwnThread { PlannedRevision(from: base, to: next) }
        guard found.base == self.base else {
            throw Self.stale("what is served has changed since the change was planned")
        }
        guard found.next == self.next else { throw Self.stale("the files have changed since the change was planned") }
    }

    private static func stale(_ why: String) -> ControlFailure {
        ControlFailure(
            .conflict, "\(why): nothing was applied", remedy: "plan it again, and look at what it does now")
    }
}

/// Stands for everything that configuration, zones and databases say, as one number of this process. Record changes and
/// the states of nodes do not count: they go on while a change waits.
struct RevisionFingerprint: Hashable, Sendable {
    private let files: UInt64
    private let settings: Int

    init(_ loaded: LoadedModel) {
        files = loaded.filesDigest
        settings = ConfigurationDifference.content(loaded.configuration).hashValue
    }
}
