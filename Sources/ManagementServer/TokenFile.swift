import Access
public import ControlFailures
import DNSServer
public import Logging
import RegularFiles
public import ServiceLifecycle
import Synchronization

/// The tokens of a file, read again when it changes. What cannot be read leaves those before in use.
public final class TokenFile: Service {
    public let path: String
    private let logger: Logger
    private let pollInterval: Duration
    private let tokens: Mutex<BearerTokens>
    /// Of the file as it was read last.
    private let known: Mutex<FileFingerprint>

    /// - Throws: what is wrong with the file, as `invalid`.
    public init(path: String, logger: Logger, pollInterval: Duration = .seconds(2)) throws(ControlFailure) {
        self.path = path
        self.logger = logger
        self.pollInterval = pollInterval
        known = Mutex(FileFingerprint(path))
        tokens = Mutex(try BearerTokens(contentsOf: path))
    }

    func speaker(_ token: [UInt8]) -> Speaker? {
        let tokens = tokens.withLock { $0 }
        return tokens.speaker(token)
    }

    /// Watches the file until graceful shutdown. A change is taken up when it has been at rest for one interval.
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
                logger.error("the tokens in use stay", metadata: ["problem": "\(error)"])
            }
        }
    }
}
