import CFastPathABI

/// Immutable cells of a table, aligned to a cache line and shared by all readers.
public final class CellBuffer<Cell: BitwiseCopyable>: @unchecked Sendable {
    // Sendable: written before the object exists (`CellWriter`) and never again; freed in `deinit`.
    private let memory: UnsafeMutableRawPointer
    public let count: Int

    /// - Parameter memory: `count` cells, aligned to a cache line, in an allocation of their own. The buffer takes
    ///   ownership.
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
    /// Class of a place, in the table whose class map begins at cell `first`.
    func classNumber(first: Int, place: Int) -> Int {
        let perCell = Int(NC_CLASSES_PER_CELL)
        return withUnsafeBytes(of: self[first + place / perCell].pointee) {
            Int($0.load(fromByteOffset: 2 * (place % perCell), as: UInt16.self))
        }
    }
}
