import ControlFailures

extension ControlFailure.Code {
    /// The HTTP status of RFC 9110, section 15, that a failure is answered with. Nothing else knows one.
    var httpStatus: Int {
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
