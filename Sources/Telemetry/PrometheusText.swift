/// Metrics in the Prometheus text exposition format, version 0.0.4.
public enum PrometheusText {
    /// The media type of the format.
    public static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

    /// Renders the samples, grouped by name with a HELP and a TYPE line each. The same samples give the same text
    /// whatever their order: names, labels and label sets are sorted.
    public static func render(_ samples: [MetricSample]) -> String {
        var text = ""
        let families = Dictionary(grouping: samples, by: \.name).sorted { $0.key < $1.key }
        for (name, members) in families {
            guard let first = members.min(by: { $0.help < $1.help }) else { continue }
            text += "# HELP \(name) \(escapeHelp(first.help))\n"
            text += "# TYPE \(name) \(first.kind.rawValue)\n"
            let entries = members.map { (labels: render($0.labels), value: render($0.value), sample: $0) }
            for entry in entries.sorted(by: { ($0.labels, $0.value) < ($1.labels, $1.value) }) {
                if let distribution = entry.sample.distribution {
                    render(distribution, of: entry.sample, into: &text)
                } else {
                    text += "\(name)\(entry.labels) \(entry.value)\n"
                }
            }
        }
        return text
    }

    /// The buckets of a histogram count all values up to their bound.
    private static func render(
        _ distribution: MetricSample.Distribution, of sample: MetricSample, into text: inout String
    ) {
        let labels = render(sample.labels)
        if sample.kind == .histogram {
            var sum: UInt64 = 0
            for (bound, count) in zip(distribution.bounds, distribution.counts) {
                sum += count
                let bucket = render(sample.labels.merging(["le": render(bound)]) { $1 })
                text += "\(sample.name)_bucket\(bucket) \(sum)\n"
            }
            let last = render(sample.labels.merging(["le": "+Inf"]) { $1 })
            text += "\(sample.name)_bucket\(last) \(distribution.count)\n"
        }
        text += "\(sample.name)_sum\(labels) \(render(sample.value))\n"
        text += "\(sample.name)_count\(labels) \(distribution.count)\n"
    }

    private static func render(_ labels: [String: String]) -> String {
        guard !labels.isEmpty else { return "" }
        let pairs = labels.sorted { $0.key < $1.key }.map { "\($0.key)=\"\(escapeLabel($0.value))\"" }
        return "{\(pairs.joined(separator: ","))}"
    }

    private static func render(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        // Counters read better without `.0`; beyond 2^53 a Double has no units to show.
        if let whole = Int64(exactly: value), whole.magnitude <= 1 << 53 { return String(whole) }
        return String(value)
    }

    private static func escapeHelp(_ text: String) -> String {
        escape(text, quotes: false)
    }

    private static func escapeLabel(_ text: String) -> String {
        escape(text, quotes: true)
    }

    private static func escape(_ text: String, quotes: Bool) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\n": escaped += "\\n"
            case "\"" where quotes: escaped += "\\\""
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
