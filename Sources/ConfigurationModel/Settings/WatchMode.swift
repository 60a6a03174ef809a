/// What happens when files of the configuration, of zones or of data change: `watch`.
public enum WatchMode: String, Sendable, CaseIterable {
    /// They are served.
    case apply = "true"
    /// Nothing, until somebody asks.
    case ignore = "false"
    /// They become a planned change, which somebody applies.
    case propose
}
