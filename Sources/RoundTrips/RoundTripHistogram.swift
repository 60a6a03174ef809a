import CFastPathABI

/// Round-trip times of a place's connections: a count for each bucket of `bpf/abi/rtt.h`. Older connections weigh less.
public struct RoundTripHistogram: Sendable, Equatable {
    private var weights = [Float](repeating: 0, count: Int(NC_RTT_BUCKETS))
    private var total = 0.0

    public init() {}

    /// - Parameters:
    ///   - bucket: below `NC_RTT_BUCKETS`.
    ///   - weight: above 0; 1 is a connection.
    public mutating func add(bucket: Int, weight: Double) {
        weights[bucket] += Float(weight)
        total += weight
    }

    /// Halves the weight of all connections.
    public mutating func halve() {
        for bucket in weights.indices { weights[bucket] /= 2 }
        total /= 2
    }

    /// The sum of the weights, rounded down.
    public var connections: Int { Int(total) }

    /// The median in milliseconds, with times spread evenly within a bucket. Nil without connections.
    public var median: Double? {
        guard total > 0 else { return nil }
        let half = Double(weights.reduce(0, +)) / 2
        var below = 0.0
        for bucket in weights.indices where weights[bucket] != 0 {
            let weight = Double(weights[bucket])
            if below + weight >= half {
                let start = Double(nc_rtt_bucket_start(UInt32(bucket)))
                let end = Double(nc_rtt_bucket_start(UInt32(bucket) + 1))
                return (start + (end - start) * (half - below) / weight) / 1000
            }
            below += weight
        }
        return nil
    }
}
