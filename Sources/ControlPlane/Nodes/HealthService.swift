import Health
package import HealthChecks
import ServiceLifecycle

/// Carries results from the prober to the node controller, and lets time pass for it.
package struct HealthService: Service {
    /// How fine shares grow and claims end.
    private static let tick = Duration.milliseconds(250)

    let nodes: NodeController
    package let prober: Prober
    let results: AsyncStream<[ProbeReport]>

    /// A prober whose results wait until the service runs.
    ///
    /// - Parameter probes: descriptors for all that are under way, of both kinds.
    package static func make(_ nodes: NodeController, probes: Int) -> HealthService {
        let (results, next) = AsyncStream.makeStream(of: [ProbeReport].self)
        return HealthService(
            nodes: nodes, prober: Prober(limit: max(1, probes / 2)) { next.yield($0) }, results: results)
    }

    package func run() async throws {
        await withTaskGroup(of: Void.self) { tasks in
            tasks.addTask { for await some in results.cancelOnGracefulShutdown() { await nodes.take(some) } }
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
