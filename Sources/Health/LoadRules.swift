/// When a node has more clients than it can serve, and how it is relieved of them.
///
/// Load and capacity are in a unit of the operator's: requests a second, connections, a load average.
public struct LoadRules: Hashable, Sendable {
    /// Percent of the capacity, 1 to 1,000: with more new clients are shed.
    public let shedAbove: Int
    /// Percent of the capacity, below `shedAbove`: with less they come back.
    public let backBelow: Int
    /// By how much the share changes at once at most, in 256ths, 1 to 256.
    public let step: Int
    /// Milliseconds for the load to follow a change; until they have passed the next is not made.
    public let settleMilliseconds: Int64
    /// Above 0; `nil`: what the node says.
    public let capacity: Double?

    public init(
        shedAbove: Int = 90, backBelow: Int = 70, step: Int = 13, settleMilliseconds: Int64 = 15_000,
        capacity: Double? = nil
    ) {
        self.shedAbove = shedAbove
        self.backBelow = backBelow
        self.step = step
        self.settleMilliseconds = settleMilliseconds
        self.capacity = capacity
    }

    /// Where changes lead: halfway between both, so that rounding and a little more or less of load reach neither.
    var target: Double { Double(shedAbove + backBelow) / 2 }

    /// A report older than this decides nothing: the share stays.
    static let freshMilliseconds: Int64 = 60_000
    /// Where nothing has been reported for so long the share grows back.
    static let memoryMilliseconds: Int64 = 600_000
    /// The time to settle doubles each time a change takes back one made so recently: the load follows more slowly than
    /// was thought.
    static let turnMilliseconds: Int64 = 600_000
    /// So many times at most.
    static let doublings = 6
    /// Without a further turn for so long the doublings are forgotten.
    static let calmMilliseconds: Int64 = 3_600_000
}

/// What a node says of its load.
public struct LoadSample: Hashable, Sendable {
    /// Not negative, finite.
    public let load: Double
    /// Above 0, finite; `nil`: not said.
    public let capacity: Double?
    public let at: Moment

    /// - Returns: `nil` for numbers that are none of a load.
    public init?(load: Double, capacity: Double? = nil, at: Moment) {
        guard load.isFinite, load >= 0, capacity.map({ $0.isFinite && $0 > 0 }) ?? true else { return nil }
        self.load = load
        self.capacity = capacity
        self.at = at
    }
}

extension LoadSample {
    /// - Returns: `nil` where the metrics do not tell the load.
    public init?(_ metrics: NodeMetrics) {
        guard let load = metrics.load else { return nil }
        self.init(load: load, capacity: metrics.capacity, at: metrics.at)
    }
}
