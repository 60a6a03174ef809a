/// A daemon that takes over from the one it asks.
public struct HandoverRequest: Codable, Equatable, Sendable {
    /// Its process, of the same PID namespace.
    public var pid: Int32

    public init(pid: Int32) { self.pid = pid }
}

/// What the asked daemon says: it changes nothing any more, and goes on answering until it is told to end.
public struct HandoverReport: Codable, Equatable, Sendable {
    /// The process to end with SIGTERM once its successor answers.
    public var pid: Int32
    /// Seconds after which it goes on as if never asked, unless it is asked again; `nil`: of a version that waits for ever,
    /// and refuses to be asked again.
    public var validSeconds: Double?

    /// Of a second name of its socket, for when the successor's is at the control path; `nil`: there is none.
    public var path: String?

    public init(pid: Int32, validSeconds: Double? = nil, path: String? = nil) {
        self.pid = pid
        self.validSeconds = validSeconds
        self.path = path
    }
}
