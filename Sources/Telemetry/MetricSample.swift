/// One value of the daemon's metrics.
public struct MetricSample: Sendable, Equatable {
    public enum Kind: String, Sendable {
        /// Only grows, until a restart.
        case counter
        case gauge
    }

    /// `[a-zA-Z_:][a-zA-Z0-9_:]*`; by convention with the unit at the end, and `_total` for a counter.
    public let name: String
    public let kind: Kind
    /// One sentence; all samples of a name have the same.
    public let help: String
    /// Label names are `[a-zA-Z_][a-zA-Z0-9_]*`, values any text.
    public let labels: [String: String]
    public let value: Double

    public init(_ name: String, _ kind: Kind, help: String, labels: [String: String] = [:], value: Double) {
        self.name = name
        self.kind = kind
        self.help = help
        self.labels = labels
        self.value = value
    }
}
