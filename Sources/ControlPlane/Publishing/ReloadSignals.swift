import ServiceLifecycle
import UnixSignals

/// Reloads at SIGHUP, and ends reloading when the daemon ends.
package struct ReloadSignals: Service {
    private let publisher: Publisher
    private let life: LifeCycle
    private let isDue: @Sendable () -> Bool

    /// - Parameter isDue: whether SIGHUP came before this service runs; asked once.
    package init(publisher: Publisher, life: LifeCycle, isDue: @escaping @Sendable () -> Bool) {
        self.isDue = isDue
        self.publisher = publisher
        self.life = life
    }

    package func run() async throws {
        let signals = await UnixSignalsSequence(trapping: .sighup)
        // One that came while the daemon was starting: what it read may be old.
        if isDue() { reload() }
        for await _ in signals.cancelOnGracefulShutdown() { reload() }
        life.change { $0.stop() }
        // Before the services that wait for requests under way: a request may wait for a reload.
        await publisher.quiesce()
    }

    /// Not waited for: the end of the service must not wait for a reload.
    private func reload() {
        // A refusal becomes an event.
        Task { [publisher] in _ = try? await publisher.reload(.signal) }
    }
}
