public import Logging
import Synchronization

/// Counts the errors that a logger is given.
public final class LoggedErrors: Sendable {
    private let errors = Atomic<Int>(0)

    public init() {}

    public var count: Int { errors.load(ordering: .relaxed) }
    public var logger: Logger { Logger(label: "test") { _ in Handler(owner: self) } }

    private struct Handler: LogHandler {
        let owner: LoggedErrors
        var metadata = Logger.Metadata()
        var logLevel = Logger.Level.error

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { owner.errors.add(1, ordering: .relaxed) }
    }
}
