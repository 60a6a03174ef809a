/// When a node is overloaded, and how it sheds clients.
///
/// Load and capacity share a unit that the operator chooses: requests per second, connections, load average.
public struct LoadRules: Hashable, Sendable {
    /// Percent of the capacity, 1 to 1,000. Above it, new clients are shed.
    public let shedAbove: Int
    /// Percent of the capacity, below `shedAbove`. Below it, they come back.
    public let backBelow: Int
    /// The largest change of the share in one step, in 256ths, 1 to 256.
    public let step: Int
    /// Milliseconds that the load needs to follow a change. The next change waits for them.
    public let settleMilliseconds: Int64
    /// Above 0. `nil`: as the node reports.
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

    /// The target of changes: halfway between both limits, so that rounding and small variations reach neither.
    var target: Double { Double(shedAbove + backBelow) / 2 }

    /// A report older than this is ignored: the share stays.
    static let freshMilliseconds: Int64 = 60_000
    /// Without reports for this long, the share grows back.
    static let memoryMilliseconds: Int64 = 600_000
    /// The settle time doubles whenever a change reverses one made this recently: the load follows more slowly than
    /// assumed.
    static let turnMilliseconds: Int64 = 600_000
    /// At most this many times.
    static let doublings = 6
    /// Without a further reversal for this long, the doublings are reset.
    static let calmMilliseconds: Int64 = 3_600_000
}

/// The load that a node reports.
public struct LoadSample: Hashable, Sendable {
    /// Not negative, finite.
    public let load: Double
    /// Above 0, finite. `nil`: not reported.
    public let capacity: Double?
    public let at: Moment

    /// - Returns: `nil` for numbers that cannot be a load.
    public init?(load: Double, capacity: Double? = nil, at: Moment) {
        guard load.isFinite, load >= 0, capacity.map({ $0.isFinite && $0 > 0 }) ?? true else { return nil }
        self.load = load
        self.capacity = capacity
        self.at = at
    }
}

extension LoadSample {
    /// - Returns: `nil` if the metrics hold no load.
    public init?(_ metrics: NodeMetrics) {
        guard let load = metrics.load else { return nil }
        self.init(load: load, capacity: metrics.capacity, at: metrics.at)
    }
}
