import ServiceLifecycle
import UnixSignals

/// Reloads at SIGHUP, and ends reloading when the daemon ends.
package struct ReloadSignals: Service {
    private let publisher: Publisher
    private let life: LifeCycle
    private let isDue: @Sendable () -> Bool
    private let report: @Sendable (Step) -> Void

    /// A step of one reload that a signal asked for.
    package enum Step: Sendable {
        case begins, ended
    }

    /// - Parameters:
    ///   - isDue: whether SIGHUP came before this service runs; asked once.
    ///   - report: called with each step of each reload.
    package init(
        publisher: Publisher, life: LifeCycle, isDue: @escaping @Sendable () -> Bool,
        report: @escaping @Sendable (Step) -> Void
    ) {
        self.isDue = isDue
        self.report = report
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
        report(.begins)
        Task { [publisher, report] in
            // A refusal becomes an event.
            _ = try? await publisher.reload(.signal)
            report(.ended)
        }
    }
}
