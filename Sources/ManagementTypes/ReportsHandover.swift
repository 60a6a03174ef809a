/// The request of a daemon that takes over from another.
public struct HandoverRequest: Codable, Equatable, Sendable {
    /// The process of the successor, in the same PID namespace.
    public var pid: Int32

    public init(pid: Int32) { self.pid = pid }
}

/// The answer of the daemon that is replaced: it changes nothing from now on, and answers queries until it gets
/// SIGTERM.
public struct HandoverReport: Codable, Equatable, Sendable {
    /// The process to end with SIGTERM once the successor answers.
    public var pid: Int32
    /// After so many seconds it resumes as if never asked, unless it is asked again. `nil`: it waits without end, and
    /// cannot be asked again.
    public var validSeconds: Double?

    /// A second path of its socket, for when the successor's socket is at the control path; `nil`: there is none.
    public var path: String?

    public init(pid: Int32, validSeconds: Double? = nil, path: String? = nil) {
        self.pid = pid
        self.validSeconds = validSeconds
        self.path = path
    }
}
