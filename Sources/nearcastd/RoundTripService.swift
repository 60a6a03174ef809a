import ServiceLifecycle

/// Lets the learner of round-trip times look at the configuration in use, and fold what was counted.
struct RoundTripService: Service {
    let learner: RoundTripLearner
    let control: ControlCenter

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            while true {
                await learner.step(await control.loaded)
                try await Task.sleep(for: .seconds(1))
            }
        }
        await learner.close()
    }
}
