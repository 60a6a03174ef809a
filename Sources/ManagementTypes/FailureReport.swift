public import ControlFailures

/// How a failure is written as JSON: `{"error": {"code": …, "message": …, "remedy": …}}`.
public struct FailureReport: Codable, Equatable, Sendable {
    public var error: ControlFailure

    public init(error: ControlFailure) { self.error = error }
}
