/// How long something takes, in buckets from 10 µs to 1 s. Many threads record without a lock.
public final class LatencyHistogram: Sendable {
    /// Upper bounds in nanoseconds.
    private static let bounds: [UInt64] = [
        10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000, 25_000_000,
        100_000_000, 1_000_000_000,
    ]

    /// The buckets, one for longer times, and the sum of nanoseconds.
    private let cells = CounterTable(count: bounds.count + 2)

    public init() {}

    /// Records that `count` things took as long each.
    public func record(nanoseconds: Int64, count: UInt64 = 1) {
        let time = UInt64(max(0, nanoseconds))
        var bucket = 0
        while bucket < Self.bounds.count, time > Self.bounds[bucket] { bucket += 1 }
        cells.add(count, to: bucket)
        cells.add(time &* count, to: Self.bounds.count + 1)
    }

    /// What several histograms recorded together.
    public static func sample(
        _ name: String, help: String, labels: [String: String], of histograms: [LatencyHistogram]
    ) -> MetricSample {
        func sum(_ index: Int) -> UInt64 { histograms.reduce(0) { $0 &+ $1.cells[index] } }
        let counts = bounds.indices.map(sum)
        return MetricSample(
            name, help: help, labels: labels, sum: Double(sum(bounds.count + 1)) / 1e9,
            distribution: .init(
                bounds: bounds.map { Double($0) / 1e9 }, counts: counts, count: counts.reduce(0, +) + sum(bounds.count))
        )
    }
}
