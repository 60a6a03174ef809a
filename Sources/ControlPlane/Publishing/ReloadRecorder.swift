import ControlFailures
import Foundation
import ModelCompiler

/// Records how reloads end: in the history that status shows, and as events.
struct ReloadRecorder: Sendable {
    let state: StateCell
    let events: EventStream

    /// - Parameter geo: the database that is served now.
    func record(_ outcome: ReloadOutcome, geo: GeoSummary) {
        state.update { state in
            state.reloads.note(outcome)
            state.revision += 1
        }
        events.append(.reloaded(outcome))
        guard outcome.difference.database else { return }
        events.append(
            .databaseLoaded(path: geo.path, builtAt: Date(timeIntervalSince1970: Double(geo.buildEpoch))))
    }

    /// A reload that a handover or a stop cut short is no refusal.
    func record(_ failure: ControlFailure, _ trigger: ReloadTrigger) {
        let isRefusal = failure.code != .unavailable
        let problems = failure.message.split(separator: "\n").map(String.init)
        state.update { state in
            if isRefusal { state.reloads.noteRefusal(problems) }
            state.revision += 1
        }
        if isRefusal { events.append(.reloadRefused(trigger, problems: problems)) }
    }
}
