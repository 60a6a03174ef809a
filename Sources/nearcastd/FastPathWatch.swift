import ServiceLifecycle

/// Looks after the attachments once a second: an interface may go away under the program, and come back without it.
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
