/// Learned times as lines of a latency file.
public enum LatencyLines {
    /// The file's text: one line per place, ordered by place.
    ///
    /// - Parameters:
    ///   - node: id of the node that the times are to.
    ///   - times: place → milliseconds.
    public static func text(node: String, _ times: [String: Double]) -> String {
        let lines = times.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            .map { "\($0.key),\(node),\(milliseconds($0.value))\n" }
        return "\(heading) \(node)\n" + lines.joined()
    }

    private static let heading = "# place,node,milliseconds: medians that nearcastd learned from connections to"

    /// Whether a file with this text may be replaced: it holds learned times, or is empty.
    public static func isOwn(_ text: String) -> Bool { text.isEmpty || text.hasPrefix(heading) }

    /// The times in a text of ``text(node:_:)``. Other lines, and those of other nodes, are skipped.
    public static func times(node: String, in text: String) -> [String: Double] {
        var times: [String: Double] = [:]
        for line in text.split(whereSeparator: \.isNewline) {
            let fields = line.split(separator: ",", omittingEmptySubsequences: false)
            guard fields.count == 3, fields[1] == node, !line.hasPrefix("#"), let time = Double(fields[2]),
                (0...60_000).contains(time)
            else { continue }
            times[String(fields[0])] = time
        }
        return times
    }

    /// With one decimal: `4.5`, at most the file format's 60000.0.
    public static func milliseconds(_ time: Double) -> String {
        let tenths = Int((min(max(time, 0), 60_000) * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}
