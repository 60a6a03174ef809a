import Glibc
public import Logging

/// Writes one line for each log message, to one descriptor.
public struct LineLogHandler: LogHandler {
    /// Where lines go and how they look.
    public struct Output: Sendable {
        public let format: LogFormat
        /// Whether the reader is journald: lines begin with their priority (sd-daemon(3)), and have no time, because the
        /// journal has its own.
        public let isJournal: Bool
        let descriptor: CInt

        public init(_ format: LogFormat, isJournal: Bool, descriptor: CInt = LineLogHandler.standardError) {
            self.format = format
            self.isJournal = isJournal
            self.descriptor = descriptor
        }

        /// Whether a descriptor is the stream that systemd connected to the journal (`$JOURNAL_STREAM`, systemd.exec(5)).
        public static func isJournal(_ descriptor: CInt = LineLogHandler.standardError) -> Bool {
            guard let variable = getenv("JOURNAL_STREAM") else { return false }
            var status = stat()
            guard fstat(descriptor, &status) == 0 else { return false }
            return String(cString: variable) == "\(status.st_dev):\(status.st_ino)"
        }
    }

    /// The descriptor of standard error.
    public static let standardError: CInt = 2

    public var logLevel: Logger.Level
    public var metadata: Logger.Metadata = [:]
    public var metadataProvider: Logger.MetadataProvider?
    private let output: Output

    public init(_ output: Output, level: Logger.Level = .info) {
        self.output = output
        logLevel = level
    }

    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    public func log(event: LogEvent) {
        var all = metadata
        if let provided = metadataProvider?.get() { all.merge(provided) { $1 } }
        if let own = event.metadata { all.merge(own) { $1 } }
        write(event.level, "\(event.message)", all)
    }

    private static var now: String {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return LogTime.text(milliseconds: Int64(now.tv_sec) * 1_000 + Int64(now.tv_nsec) / 1_000_000)
    }

    private func write(_ level: Logger.Level, _ message: String, _ metadata: Logger.Metadata) {
        let fields = metadata.sorted { $0.key < $1.key }.map { (name: $0.key, value: LogValue($0.value)) }
        let line = output.format.line(
            time: output.isJournal ? nil : Self.now, level: level.rawValue, message: message, fields: fields)
        // One call, so that lines of several threads do not mix. A line that cannot be written is dropped.
        var bytes = Array((output.isJournal ? "<\(level.priority)>" + line : line).utf8)[...]
        while !bytes.isEmpty {
            let written = bytes.withUnsafeBytes { Glibc.write(output.descriptor, $0.baseAddress, $0.count) }
            if written < 0 {
                if errno == EINTR { continue }
                return
            }
            bytes = bytes.dropFirst(written)
        }
    }
}

extension Logger.Level {
    /// The priority of syslog(3).
    var priority: Int {
        switch self {
        case .trace, .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        case .critical: 2
        }
    }
}

extension LogValue {
    init(_ value: Logger.Metadata.Value) {
        self =
            switch value {
            case .string(let text): .text(text)
            case .stringConvertible(let text): .text("\(text)")
            case .array(let values): .list(values.map { LogValue($0) })
            case .dictionary(let fields):
                .object(fields.sorted { $0.key < $1.key }.map { (name: $0.key, value: LogValue($0.value)) })
            }
    }
}
