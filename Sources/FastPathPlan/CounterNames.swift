import CFastPathABI

/// The fast path's counters, by the names under which they are exported.
public enum FastPathCounter {
    /// Names in the order of the counters map. Those before `verdictCount` are verdicts; the rest are events.
    public static let names: [String] = (0..<UInt32(NC_COUNTERS.rawValue)).map { index in
        nc_counter_name(index).map { String(cString: $0) } ?? "counter_\(index)"
    }
    public static let verdictCount = Int(NC_VERDICTS.rawValue)
}
