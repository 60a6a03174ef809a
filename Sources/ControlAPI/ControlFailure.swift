/// An error of the control interface: travels as `{"error": {"code", "message", "remedy"}}` and is the same value at both ends.
public struct ControlFailure: Error, Codable, Equatable, Sendable, CustomStringConvertible {
    /// What kind of failure; each has one HTTP status.
    public enum Code: String, Codable, Sendable, CaseIterable {
        /// The request cannot be understood, or a value is out of range.
        case invalid
        /// There is no token, or none that is known.
        case unauthorized
        /// The token does not speak for that.
        case forbidden
        /// No such name, node or route.
        case notFound = "not_found"
        /// The route exists, with another method.
        case methodNotAllowed = "method_not_allowed"
        /// The state of things forbids it, such as draining the last usable node.
        case conflict
        /// The body is larger than is accepted.
        case tooLarge = "too_large"
        /// The caller asks for more than is taken in this time.
        case tooMany = "too_many"
        /// The daemon cannot do it now, or is not there.
        case unavailable
        /// A fault of the daemon.
        case `internal`

        /// The status of RFC 9110, section 15.
        package var httpStatus: Int {
            switch self {
            case .invalid: 400
            case .unauthorized: 401
            case .forbidden: 403
            case .notFound: 404
            case .methodNotAllowed: 405
            case .conflict: 409
            case .tooLarge: 413
            case .tooMany: 429
            case .internal: 500
            case .unavailable: 503
            }
        }
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

    /// The form on the wire.
    package struct Envelope: Codable {
        package let error: ControlFailure

        package init(error: ControlFailure) { self.error = error }
    }
}
