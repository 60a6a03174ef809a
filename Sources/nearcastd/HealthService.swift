import Health
import HealthChecks
import ServiceLifecycle

/// Carries results from the prober to the registry, and lets time pass for it.
struct HealthService: Service {
    /// How fine shares grow and claims end.
    private static let tick = Duration.milliseconds(250)

    let registry: NodeRegistry
    /// Its results wait until the service runs.
    let prober: Prober

    /// - Parameter probes: descriptors for all that are under way, over both transports.
    static func make(_ registry: NodeRegistry, probes: Int) -> HealthService {
        HealthService(registry: registry, prober: Prober(limit: max(1, probes / 2)))
    }

    func run() async throws {
        await withTaskGroup(of: Void.self) { tasks in
            tasks.addTask { for await some in prober.reports.cancelOnGracefulShutdown() { await registry.take(some) } }
            tasks.addTask {
                try? await cancelWhenGracefulShutdown {
                    while true {
                        try await Task.sleep(for: Self.tick)
                        await registry.tick()
                    }
                }
            }
            await tasks.waitForAll()
        }
        await registry.close()
        await prober.close()
    }
}
