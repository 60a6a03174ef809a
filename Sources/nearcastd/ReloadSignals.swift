import ManagementTypes
import ServiceLifecycle
import UnixSignals

/// Reloads at SIGHUP, and ends reloading when the daemon ends.
struct ReloadSignals: Service {
    let reloader: Reloader
    let control: ControlCenter

    func run() async throws {
        let signals = await UnixSignalsSequence(trapping: .sighup)
        // One that came while the daemon was starting: what it read may be old.
        if EarlySignals.takeReload() { reload() }
        for await _ in signals.cancelOnGracefulShutdown() { reload() }
        await control.leave()
        // Before the services that wait for requests under way, one of which may be for a reload.
        await reloader.close()
    }

    /// Not waited for: the end of the service must not wait for a reload.
    private func reload() {
        // A refusal is logged by the reloader.
        Task { _ = try? await reloader.reload(.signal) }
    }
}
