import Access
public import ControlFailures
import DNSServer
import LinuxSupport
public import Logging
public import ServiceLifecycle
import Synchronization

/// The tokens of a file, read again when it changes. If it cannot be read, the previous tokens stay in use.
public final class TokenFile: Service {
    public let path: String
    private let logger: Logger
    private let pollInterval: Duration
    private let tokens: Mutex<BearerTokens>
    /// The file as it was read last.
    private let known: Mutex<FileFingerprint>

    /// - Throws: `invalid`, with what is wrong with the file.
    public init(path: String, logger: Logger, pollInterval: Duration = .seconds(2)) throws(ControlFailure) {
        self.path = path
        self.logger = logger
        self.pollInterval = pollInterval
        known = Mutex(FileFingerprint(path))
        tokens = Mutex(try BearerTokens(contentsOf: path))
    }

    func caller(_ token: [UInt8]) -> Caller? {
        let tokens = tokens.withLock { $0 }
        return tokens.caller(token)
    }

    /// Watches the file until graceful shutdown. A change is read when the file has not changed for one interval.
    public func run() async throws {
        var last = FileFingerprint(path)
        while await pause(for: pollInterval) {
            let now = FileFingerprint(path)
            defer { last = now }
            guard now == last, now != known.withLock({ $0 }) else { continue }
            known.withLock { $0 = now }
            do throws(ControlFailure) {
                let fresh = try BearerTokens(contentsOf: path)
                tokens.withLock { $0 = fresh }
                logger.info("tokens loaded", metadata: ["file": "\(path)", "tokens": "\(fresh.count)"])
            } catch {
                logger.error("tokens not loaded, the previous ones stay in use", metadata: ["problem": "\(error)"])
            }
        }
    }
}
