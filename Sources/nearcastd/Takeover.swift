import ControlAPI
import Foundation
import Logging
import ServiceLifecycle

/// The successor's side of a takeover: a daemon that answers at the control path, which this one replaces.
///
///     load ── hold the predecessor ── bind beside it ── links ── services answer ── SIGTERM ── its lock, its pins
///
/// Until the links are updated nothing has changed for a packet; from then on both processes answer what the program
/// declines, from models that were both right when they were made.
struct Takeover: Service {
    /// How long a predecessor may take to end.
    private static let patience = Duration.seconds(60)

    private let path: String
    private let pid: Int32
    private let fastPath: FastPathRunner
    private let logger: Logger

    /// Whether a daemon answers at the control path.
    static func isDue(at path: String) async -> Bool {
        await onOwnThread { (try? ControlClient(path: path).status()) != nil }
    }

    /// Makes the daemon at the control path leave everything as it is.
    ///
    /// - Returns: its process.
    static func holdPredecessor(at path: String) async throws(StartupFailure) -> Int32 {
        let result = await onOwnThread { () -> Result<HandoverReport, ControlFailure> in
            do throws(ControlFailure) {
                let client = ControlClient(path: path, timeoutSeconds: 30)
                return .success(try client.handOver(HandoverRequest(pid: ProcessInfo.processInfo.processIdentifier)))
            } catch { return .failure(error) }
        }
        do throws(ControlFailure) { return try result.get().pid } catch {
            throw StartupFailure(["takeover: the daemon at \(path) does not hand over: \(error.message)"])
        }
    }

    init(from pid: Int32, at path: String, fastPath: FastPathRunner, logger: Logger) {
        self.pid = pid
        self.path = path
        self.fastPath = fastPath
        self.logger = logger
    }

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            try await finish()
            // A service that returns would end the others.
            try await Task.sleep(for: .seconds(1 << 40))
        }
    }

    /// Ends the predecessor once this process answers at the control path, and takes its place.
    private func finish() async throws {
        let own = ProcessInfo.processInfo.processIdentifier
        while await onOwnThread({ try? ControlClient(path: path, timeoutSeconds: 2).status().pid }) != own {
            try await Task.sleep(for: .milliseconds(20))
        }
        kill(pid, SIGTERM)
        let start = ContinuousClock.now
        while await !fastPath.succeed() {
            guard ContinuousClock.now - start < Self.patience else {
                logger.error(
                    "the predecessor does not end: stop it, and restart this one",
                    metadata: ["pid": "\(pid)"])
                return
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        logger.notice("took over", metadata: ["predecessor": "\(pid)"])
    }
}
