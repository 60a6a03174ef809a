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
            let lines = members.map { (labels: render($0.labels), value: render($0.value)) }
            for line in lines.sorted(by: { ($0.labels, $0.value) < ($1.labels, $1.value) }) {
                text += "\(name)\(line.labels) \(line.value)\n"
            }
        }
        return text
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
