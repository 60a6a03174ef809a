import Location

/// The distances of clients: their number, mean, and a histogram in steps of 10 km.
public struct Distances: Sendable {
    /// Half of the earth's circumference is 20,015 km.
    private static let steps = 2002
    static let stepKilometres = 10.0

    private var histogram = [UInt64](repeating: 0, count: steps)
    private var sum = 0.0
    /// Weight of the clients whose distance is known.
    public private(set) var weight: UInt64 = 0

    mutating func add(_ kilometres: Double, weight: UInt64) {
        histogram[min(Int(kilometres / Self.stepKilometres), Self.steps - 1)] += weight
        sum += kilometres * Double(weight)
        self.weight += weight
    }

    /// In kilometres; nil if there are no clients.
    public var mean: Double? { weight == 0 ? nil : sum / Double(weight) }

    /// The distance in kilometres, rounded up to 10, within which the fraction `part` (0...1) of the clients are; nil
    /// if there are no clients.
    public func percentile(_ part: Double) -> Double? {
        guard weight > 0 else { return nil }
        let wanted = Double(weight) * part
        var below = 0.0
        for (step, count) in histogram.enumerated() {
            below += Double(count)
            if below >= wanted { return Double(step + 1) * Self.stepKilometres }
        }
        return nil
    }
}

/// Which nodes serve which clients, in one scenario.
public struct Spread: Sendable {
    /// The clients of one node.
    public struct Share: Sendable {
        public internal(set) var weight: UInt64 = 0
        public internal(set) var distances = Distances()
    }

    /// By node id.
    public internal(set) var nodes: [String: Share] = [:]
    public internal(set) var distances = Distances()
    /// Weight of all clients.
    public internal(set) var weight: UInt64 = 0
    /// Weight of the clients that got no address: REFUSED or NODATA.
    public internal(set) var unanswered: UInt64 = 0
    /// Weight of the clients of unknown location.
    public internal(set) var unlocated: UInt64 = 0

    mutating func add(_ outcome: Outcome, weight: UInt64) {
        self.weight += weight
        if outcome.coordinates == nil { unlocated += weight }
        guard let node = outcome.node else {
            unanswered += weight
            return
        }
        nodes[node, default: Share()].weight += weight
        guard let kilometres = outcome.kilometres else { return }
        nodes[node]?.distances.add(kilometres, weight: weight)
        distances.add(kilometres, weight: weight)
    }
}

/// The result for one group of clients.
struct Outcome {
    /// Id of the first node of the answer.
    var node: String?
    var kilometres: Double?
    /// The location of the clients; nil if unknown.
    var coordinates: Coordinates?
}
