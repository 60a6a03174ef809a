import CFastPathABI

/// Immutable cells of a table, aligned to a cache line, shared by all who read them.
public final class CellBuffer<Cell: BitwiseCopyable>: @unchecked Sendable {
    // Sendable: written in `init` only, before the object is shared; freed in `deinit`.
    private let memory: UnsafeMutableRawPointer
    public let count: Int

    public convenience init(_ cells: [Cell]) { self.init(partsOfCells: cells) }

    /// - Parameter parts: what cells are made of, in their layout; the last cell is filled up with zeros.
    fileprivate init(partsOfCells parts: [some BitwiseCopyable]) {
        let stride = MemoryLayout<Cell>.stride
        (count, memory) = parts.withUnsafeBytes { source in
            let count = max((source.count + stride - 1) / stride, 1)
            let memory = UnsafeMutableRawPointer.allocate(byteCount: count * stride, alignment: Int(NC_CELL_BYTES))
            let target = UnsafeMutableRawBufferPointer(start: memory, count: count * stride)
            target.initializeMemory(as: UInt8.self, repeating: 0)
            target.copyMemory(from: source)
            return (count, memory)
        }
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
    /// - Parameter classes16: 32 to a cell.
    convenience init(classes16: [UInt16]) { self.init(partsOfCells: classes16) }

    /// Class of a place, in the table whose map begins at `first`.
    func classNumber(first: Int, place: Int) -> Int {
        let perCell = Int(NC_CLASSES_PER_CELL)
        return withUnsafeBytes(of: self[first + place / perCell].pointee) {
            Int($0.load(fromByteOffset: 2 * (place % perCell), as: UInt16.self))
        }
    }
}
