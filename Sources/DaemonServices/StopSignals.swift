package import ServiceLifecycle

/// Ends the services if SIGTERM or SIGINT came before the group of services had its own handlers. The group installs
/// them before it runs a service, so no signal falls in between.
package struct StopSignals: Service {
    private let isDue: @Sendable () -> Bool

    /// - Parameter isDue: whether a signal came before this service runs; asked once.
    package static func configuration(
        isDue: @escaping @Sendable () -> Bool
    ) -> ServiceGroupConfiguration.ServiceConfiguration {
        // Its return ends the group.
        .init(service: StopSignals(isDue: isDue), successTerminationBehavior: .gracefullyShutdownGroup)
    }

    package func run() async throws {
        guard !isDue() else { return }
        try? await gracefulShutdown()
    }
}
