import Health
package import HealthChecks
import ServiceLifecycle

/// Carries results from the prober to the node controller, and calls its ticks.
package struct HealthService: Service {
    /// How fine shares grow and claims end.
    private static let tick = Duration.milliseconds(250)

    let nodes: NodeController
    /// Its results wait until the service runs.
    package let prober: Prober

    /// - Parameter probes: descriptors for all that are under way, over both transports.
    package static func make(_ nodes: NodeController, probes: Int) -> HealthService {
        HealthService(nodes: nodes, prober: Prober(limit: max(1, probes / 2)))
    }

    package func run() async throws {
        await withTaskGroup(of: Void.self) { tasks in
            tasks.addTask { for await some in prober.reports.cancelOnGracefulShutdown() { await nodes.take(some) } }
            tasks.addTask {
                try? await cancelWhenGracefulShutdown {
                    while true {
                        try await Task.sleep(for: Self.tick)
                        await nodes.tick()
                    }
                }
            }
            await tasks.waitForAll()
        }
        await nodes.close()
        await prober.close()
    }
}
