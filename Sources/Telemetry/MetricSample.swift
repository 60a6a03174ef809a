/// One value of the daemon's metrics, or one distribution.
public struct MetricSample: Sendable, Equatable {
    public enum Kind: String, Sendable {
        /// Only grows, until a restart.
        case counter
        case gauge
        case histogram
        /// A distribution of which only count and sum are known.
        case summary
    }

    /// `[a-zA-Z_:][a-zA-Z0-9_:]*`; by convention with the unit at the end, and `_total` for a counter.
    public let name: String
    public let kind: Kind
    /// One sentence; all samples of a name have the same.
    public let help: String
    /// Label names are `[a-zA-Z_][a-zA-Z0-9_]*`, values any text.
    public let labels: [String: String]
    /// For a distribution its sum.
    public let value: Double
    /// `nil` for a single value.
    public let distribution: Distribution?

    /// How often each range of values occurred.
    public struct Distribution: Sendable, Equatable {
        /// Upper bounds of the buckets, ascending; values above the last are in `count` alone.
        public let bounds: [Double]
        /// Values in each bucket, not those below it.
        public let counts: [UInt64]
        /// All values.
        public let count: UInt64

        public init(bounds: [Double] = [], counts: [UInt64] = [], count: UInt64) {
            precondition(bounds.count == counts.count, "each bucket has a bound")
            self.bounds = bounds
            self.counts = counts
            self.count = count
        }
    }

    public init(_ name: String, _ kind: Kind, help: String, labels: [String: String] = [:], value: Double) {
        self.init(name, kind, help: help, labels: labels, value: value, distribution: nil)
    }

    /// A histogram; without buckets, a summary.
    public init(
        _ name: String, help: String, labels: [String: String] = [:], sum: Double, distribution: Distribution
    ) {
        self.init(
            name, distribution.bounds.isEmpty ? .summary : .histogram, help: help, labels: labels, value: sum,
            distribution: distribution)
    }

    private init(
        _ name: String, _ kind: Kind, help: String, labels: [String: String], value: Double,
        distribution: Distribution?
    ) {
        self.name = name
        self.kind = kind
        self.help = help
        self.labels = labels
        self.value = value
        self.distribution = distribution
    }
}
