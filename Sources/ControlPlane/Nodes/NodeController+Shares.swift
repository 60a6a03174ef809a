import Health

/// Reported load.
extension NodeController {
    /// A node reported its load. Shares follow with the next tick.
    func take(_ metrics: NodeMetrics, of id: String) {
        guard entries[id] != nil else { return }
        entries[id]?.reported = metrics
        LoadSample(metrics).map { fleet.take($0, of: id) }
    }
}
