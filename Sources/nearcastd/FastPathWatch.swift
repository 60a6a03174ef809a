import ServiceLifecycle

/// Looks after the program once a second: its clock may be set, an interface go away under it, and come back without it.
struct FastPathWatch: Service {
    let fastPath: FastPathRunner

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            while true {
                try await Task.sleep(for: .seconds(1))
                await fastPath.lookAfter()
            }
        }
    }
}
