import CFastPathABI

/// Immutable cells of a table, aligned to a cache line, shared by all who read them.
public final class CellBuffer<Cell: BitwiseCopyable>: @unchecked Sendable {
    // Sendable: written before the object is made (`CellWriter`), and never again; freed in `deinit`.
    private let memory: UnsafeMutableRawPointer
    public let count: Int

    /// - Parameter memory: `count` cells, aligned to a cache line and allocated by itself.
    init(taking memory: UnsafeMutableRawPointer, count: Int) {
        self.memory = memory
        self.count = count
    }

    deinit { memory.deallocate() }

    public var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: memory, count: count * MemoryLayout<Cell>.stride)
    }

    public subscript(index: Int) -> UnsafePointer<Cell> {
        precondition(index >= 0 && index < count, "cell \(index) of \(count)")
        return UnsafePointer(memory.assumingMemoryBound(to: Cell.self) + index)
    }
}

extension CellBuffer where Cell == nc_class_cell {
    /// Class of a place, in the table whose map begins at `first`.
    func classNumber(first: Int, place: Int) -> Int {
        let perCell = Int(NC_CLASSES_PER_CELL)
        return withUnsafeBytes(of: self[first + place / perCell].pointee) {
            Int($0.load(fromByteOffset: 2 * (place % perCell), as: UInt16.self))
        }
    }
}
