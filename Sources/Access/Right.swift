/// What a caller must be allowed to do before a route serves it. Each route needs one of them.
public enum Right: String, CaseIterable, Sendable {
    /// See what is served, configured and counted.
    case read
    /// Report what a node or an observer sees.
    case report
    /// Change the state of nodes.
    case operate
    /// Change the records of zones.
    case edit
    /// Reload the configuration, detach the fast path, hand over to another daemon.
    case administer
}
