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

    public init(pid: Int32) { self.pid = pid }
}
