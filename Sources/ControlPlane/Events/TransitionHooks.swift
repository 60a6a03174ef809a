package import ConfigurationModel
import Health
import HealthChecks
package import Logging
import ServiceLifecycle
import StateStore
import Synchronization

/// Runs the operator's programs when nodes change their state: transitions in their order, the hooks of one transition at
/// the same time. It is a subscriber of the events, and waits for no program.
package final class TransitionHooks: Service {
    /// Transitions that wait for a slow program. Further ones are left out, and counted.
    private static let room = 1_024

    private let hooks: @Sendable () -> [HookSettings]
    private let logger: Logger
    private let queue: AsyncStream<NodeTransition>
    private let entrance: AsyncStream<NodeTransition>.Continuation
    private let dropped = Atomic(0)

    /// - Parameter hooks: the configured ones, asked for each transition.
    package init(hooks: @escaping @Sendable () -> [HookSettings], logger: Logger) {
        self.hooks = hooks
        self.logger = logger
        (queue, entrance) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.room))
    }

    /// Takes events. Never blocks.
    package func take(_ events: [Event]) {
        for event in events {
            guard let transition = event.transition else { continue }
            if case .dropped = entrance.yield(transition) { dropped.add(1, ordering: .relaxed) }
        }
    }

    package func run() async throws {
        for await transition in queue.cancelOnGracefulShutdown() {
            let count = dropped.exchange(0, ordering: .relaxed)
            if count > 0 {
                logger.error("hooks are too slow: transitions were left out", metadata: ["count": "\(count)"])
            }
            let due = hooks().filter { hook in HealthState(rawValue: transition.to).map(hook.states.contains) ?? false }
            await withTaskGroup(of: Void.self) { tasks in
                for hook in due { tasks.addTask { await self.run(hook, transition) } }
            }
        }
    }

    private func run(_ hook: HookSettings, _ transition: NodeTransition) async {
        let run = await withTaskGroup(of: CommandRunner.Run?.self) { tasks in
            tasks.addTask { await CommandRunner(hook.command).run(transition.variables) }
            tasks.addTask {
                try? await Task.sleep(for: .milliseconds(hook.timeoutMilliseconds))
                return nil
            }
            let first = await tasks.next()
            tasks.cancelAll()
            return first.flatMap(\.self)
        }
        let problem: String? =
            switch run {
            case .ended(0, _)?: nil
            case .ended(let status?, let output)?: "exit status \(status): \(output.prefix(160))"
            case .ended(nil, let output)?: "ended by a signal: \(output.prefix(160))"
            case .notRun(let reason)?: reason
            case nil: "killed after \(hook.timeoutMilliseconds) ms"
            }
        guard let problem else { return }
        logger.warning(
            "hook failed",
            metadata: [
                "run": "\(hook.command.arguments[0])", "node": "\(transition.node)", "state": "\(transition.to)",
                "problem": "\(problem)",
            ])
    }
}

extension NodeTransition {
    /// The environment of a hook.
    fileprivate var variables: [String: String] {
        [
            "NEARCAST_SEQUENCE": "\(sequence)", "NEARCAST_TIME": "\(time / 1_000_000)", "NEARCAST_NODE": node,
            "NEARCAST_FAMILY": family ?? "", "NEARCAST_FROM": from, "NEARCAST_TO": to, "NEARCAST_CAUSE": cause,
            "NEARCAST_AUTHORITY": authority, "NEARCAST_EVIDENCE": evidence ?? "", "NEARCAST_AUTHOR": author ?? "",
        ].mapValues { $0.replacing("\0", with: "") }
    }
}
