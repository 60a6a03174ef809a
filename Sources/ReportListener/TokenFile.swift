public import ControlAPI
import DNSServer
import LinuxSupport
public import Logging
public import ServiceLifecycle
import Synchronization

/// The tokens of a file, read again when it changes. What cannot be read leaves those before in use.
public final class TokenFile: Service {
    private static let maximumBytes = 4 << 20

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
        tokens = Mutex(try Self.read(path))
    }

    func speaker(_ token: [UInt8]) -> Speaker? {
        let tokens = tokens.withLock { $0 }
        return tokens.speaker(token)
    }

    private static func read(_ path: String) throws(ControlFailure) -> BearerTokens {
        let bytes: [UInt8]
        do throws(FileProblem) { bytes = try RegularFile.contents(of: path, limit: maximumBytes) } catch {
            throw ControlFailure(.invalid, "\(path) cannot be read (\(error))", remedy: error.remedy)
        }
        return try BearerTokens(String(decoding: bytes, as: UTF8.self), file: path)
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
                let fresh = try Self.read(path)
                tokens.withLock { $0 = fresh }
                logger.info("tokens loaded", metadata: ["file": "\(path)", "tokens": "\(fresh.count)"])
            } catch {
                logger.error("the tokens in use stay", metadata: ["problem": "\(error)"])
            }
        }
    }
}
