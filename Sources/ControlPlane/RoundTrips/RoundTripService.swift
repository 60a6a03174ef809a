import ServiceLifecycle

/// Lets the learner of round-trip times look at the configuration in use, and fold what was counted.
package struct RoundTripService: Service {
    let learner: RoundTripLearner
    let state: StateCell

    package init(learner: RoundTripLearner, state: StateCell) {
        self.learner = learner
        self.state = state
    }

    package func run() async throws {
        try? await cancelWhenGracefulShutdown {
            while true {
                await learner.step(state.current.served.loaded)
                try await Task.sleep(for: .seconds(1))
            }
        }
        await learner.close()
    }
}
