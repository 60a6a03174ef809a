import Health
package import HealthChecks
package import HostLookup
import ServiceLifecycle

/// Carries results from the prober to the node controller, and calls its ticks.
package struct HealthService: Service {
    /// How fine shares grow and claims end.
    private static let tick = Duration.milliseconds(250)

    let nodes: NodeController
    /// Its results wait until the service runs.
    package let prober: Prober

    /// - Parameters:
    ///   - probes: descriptors for all that are under way, over both transports.
    ///   - lookup: finds the addresses of providers.
    package static func make(_ nodes: NodeController, probes: Int, lookup: HostLookup) -> HealthService {
        HealthService(nodes: nodes, prober: Prober(limit: max(1, probes / 2), lookup: lookup))
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
