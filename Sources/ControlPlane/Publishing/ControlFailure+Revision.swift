import ControlFailures

extension ControlFailure {
    /// Refuses a revision. Nothing has changed.
    static func revision(
        _ problems: [String], remedy: String = "everything is served as before; correct it and reload"
    ) -> ControlFailure {
        ControlFailure(.invalid, problems.joined(separator: "\n"), remedy: remedy)
    }
}
