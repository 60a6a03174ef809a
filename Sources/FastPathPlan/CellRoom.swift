/// Allocates the spare cells of a table in runs. A freed run is reused once no packet can read it any more.
struct CellRoom: Sendable {
    /// Adjacent cells.
    struct Run: Sendable {
        let first: UInt32
        let count: Int
    }

    private var next: Int
    private let end: Int
    /// First cells of free runs, by length.
    private var free: [Int: [UInt32]] = [:]
    /// Freed runs that packets may still read.
    private var leaving: [Run] = []
    private(set) var used = 0

    init(_ cells: Range<Int>) { (next, end) = (cells.lowerBound, cells.upperBound) }

    /// Nil if there is no room.
    mutating func take(_ count: Int) -> Run? {
        guard count > 0 else { return Run(first: 0, count: 0) }
        used += count
        if let first = free[count]?.popLast() { return Run(first: first, count: count) }
        guard count <= end - next else { return nil }
        defer { next += count }
        return Run(first: UInt32(next), count: count)
    }

    /// Frees a run. Packets may read it until `settle`.
    mutating func give(_ run: Run?) {
        guard let run, run.count > 0 else { return }
        leaving.append(run)
    }

    /// Releases the freed runs: no packet reads them any more.
    mutating func settle() {
        for run in leaving {
            free[run.count, default: []].append(run.first)
            used -= run.count
        }
        leaving = []
    }
}
