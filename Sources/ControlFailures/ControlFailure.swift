/// Why an operation of the control plane failed: the error that operations throw.
///
/// It knows no transport. The management server maps a code to an HTTP status, and sends the failure as a
/// `FailureReport`; the client throws the same value again.
public struct ControlFailure: Error, Codable, Equatable, Sendable, CustomStringConvertible {
    public enum Code: String, Codable, Sendable, CaseIterable {
        /// The request cannot be understood, or a value is out of range.
        case invalid
        /// The caller did not prove who it is.
        case unauthorized
        /// The caller is known, and may not do this.
        case forbidden
        /// There is no such name, node or route.
        case notFound = "not_found"
        /// The route exists, with another method.
        case methodNotAllowed = "method_not_allowed"
        /// The current state forbids it: for example, it would drain the last usable node.
        case conflict
        /// The request is larger than what is accepted.
        case tooLarge = "too_large"
        /// The caller asks too often.
        case tooMany = "too_many"
        /// The daemon cannot do it now, or cannot be reached.
        case unavailable
        /// A fault of the daemon.
        case `internal`
    }

    public let code: Code
    /// What is wrong, in the user's words.
    public let message: String
    /// What to do about it.
    public let remedy: String?

    public init(_ code: Code, _ message: String, remedy: String? = nil) {
        self.code = code
        self.message = message
        self.remedy = remedy
    }

    /// One line: `message (remedy)`.
    public var description: String { remedy.map { "\(message) (\($0))" } ?? message }
}
