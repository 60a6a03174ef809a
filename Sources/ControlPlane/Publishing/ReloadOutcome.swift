package import Foundation
package import Lints
import ModelCompiler

/// What asked for a reload.
package enum ReloadTrigger: String, Sendable, CaseIterable {
    /// A request to the API.
    case command
    /// SIGHUP.
    case signal
    /// A file changed.
    case watch
}

/// What a reload did.
package struct ReloadOutcome: Sendable {
    package let trigger: ReloadTrigger
    /// Of the model in use now.
    package let epoch: UInt64
    package let digest: UInt64
    package let difference: ModelDifference
    package let configuration: ConfigurationDifference
    package let path: PublicationPath
    /// Whether options of the protocol, switches of the fast path or rules of health differ.
    let changesOptions: Bool
    /// What could not be loaded: its last good version stays in use. Each with place and remedy.
    package let problems: [String]
    /// What is served, but is probably a mistake.
    package let warnings: [LintWarning]
    /// Reading and compiling, in seconds.
    package let loadSeconds: Double
    /// From the start to the last packet answered from the earlier model, in seconds.
    package let tookSeconds: Double

    package var changesAnything: Bool { difference.isAny || configuration.isAny || changesOptions }
}

/// The reloads so far.
package struct ReloadHistory: Hashable, Sendable {
    /// Reloads that changed something.
    package var changed = 0
    /// Reloads that found nothing to change.
    package var unchanged = 0
    /// Reloads that were refused as a whole.
    package var refused = 0
    /// Whether the last one was refused; `nil` before the first.
    package var lastIsRefused: Bool?
    package var lastAt: Date?
    /// Why the last one was refused, or what it could not load.
    package var problems: [String] = []

    mutating func note(_ outcome: ReloadOutcome) {
        if outcome.changesAnything { changed += 1 } else { unchanged += 1 }
        (lastIsRefused, lastAt, problems) = (false, Date(), outcome.problems)
    }

    mutating func noteRefusal(_ problems: [String]) {
        refused += 1
        (lastIsRefused, lastAt, self.problems) = (true, Date(), problems)
    }
}

extension LoadedModel {
    /// The warnings as of now.
    var currentWarnings: [LintWarning] { warnings(at: UInt64(max(0, Date().timeIntervalSince1970))) }
}
