/// The cells of a table that its image does not need: given out in runs, and again when nothing leads to them.
struct CellRoom: Sendable {
    /// Cells that lie together.
    struct Run: Sendable {
        let first: UInt32
        let count: Int
    }

    private var next: Int
    private let end: Int
    /// First cells of runs to be given out again, by their length.
    private var free: [Int: [UInt32]] = [:]
    /// Runs that packets may still read.
    private var leaving: [Run] = []
    private(set) var used = 0

    init(_ cells: Range<Int>) { (next, end) = (cells.lowerBound, cells.upperBound) }

    /// Nil when there is none.
    mutating func take(_ count: Int) -> Run? {
        guard count > 0 else { return Run(first: 0, count: 0) }
        used += count
        if let first = free[count]?.popLast() { return Run(first: first, count: count) }
        guard count <= end - next else { return nil }
        defer { next += count }
        return Run(first: UInt32(next), count: count)
    }

    /// Gives a run back, which packets may read until `settle`.
    mutating func give(_ run: Run?) {
        guard let run, run.count > 0 else { return }
        leaving.append(run)
    }

    /// No packet reads any more what was given back.
    mutating func settle() {
        for run in leaving {
            free[run.count, default: []].append(run.first)
            used -= run.count
        }
        leaving = []
    }
}
