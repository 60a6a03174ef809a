import Telemetry
import Testing

@Suite struct DistributionTests {
    @Test("the buckets of a histogram count all values up to their bound, in ascending order, for each label set")
    func histogram() {
        let samples = ["udp", "tcp"].map {
            MetricSample(
                "t_seconds", help: "Time.", labels: ["transport": $0], sum: 12.5,
                distribution: .init(bounds: [0.5, 2, 10], counts: [1, 0, 2], count: 4))
        }
        #expect(
            PrometheusText.render(samples) == """
                # HELP t_seconds Time.
                # TYPE t_seconds histogram
                t_seconds_bucket{le="0.5",transport="tcp"} 1
                t_seconds_bucket{le="2",transport="tcp"} 1
                t_seconds_bucket{le="10",transport="tcp"} 3
                t_seconds_bucket{le="+Inf",transport="tcp"} 4
                t_seconds_sum{transport="tcp"} 12.5
                t_seconds_count{transport="tcp"} 4
                t_seconds_bucket{le="0.5",transport="udp"} 1
                t_seconds_bucket{le="2",transport="udp"} 1
                t_seconds_bucket{le="10",transport="udp"} 3
                t_seconds_bucket{le="+Inf",transport="udp"} 4
                t_seconds_sum{transport="udp"} 12.5
                t_seconds_count{transport="udp"} 4

                """)
    }

    @Test("without buckets it is a summary of sum and count")
    func summary() {
        let sample = MetricSample("t_seconds", help: "Time.", sum: 3, distribution: .init(count: 2))
        #expect(
            PrometheusText.render([sample])
                == "# HELP t_seconds Time.\n# TYPE t_seconds summary\nt_seconds_sum 3\nt_seconds_count 2\n")
    }

    @Test(
        "a time belongs to the first bucket whose bound is not below it",
        arguments: [(0, 0), (10_000, 0), (10_001, 1), (1_000_000_000, 12), (1_000_000_001, 13), (-5, 0)])
    func bucket(nanoseconds: Int, index: Int) throws {
        let histogram = LatencyHistogram()
        histogram.record(nanoseconds: Int64(nanoseconds), count: 3)
        let found = try #require(
            LatencyHistogram.sample("t", help: "", labels: [:], of: [histogram, LatencyHistogram()]).distribution)
        #expect(found.count == 3 && found.bounds.count == 13)
        #expect(found.counts.firstIndex(of: 3) ?? 13 == index)
    }

    @Test("counters that many threads raise lose nothing")
    func counters() async {
        let table = CounterTable(count: 2)
        await withTaskGroup(of: Void.self) { tasks in
            for _ in 0..<8 { tasks.addTask { for _ in 0..<10_000 { table.add(to: 1) } } }
        }
        #expect(table[0] == 0 && table[1] == 80_000)
    }
}
