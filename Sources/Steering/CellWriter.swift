import CFastPathABI

/// Builds the cells of a table in their final memory, so that `finish` copies nothing.
final class CellWriter<Cell: BitwiseCopyable> {
    private let memory: UnsafeMutableRawPointer
    private let capacity: Int
    /// Bytes written.
    private var used = 0
    private var isTaken = false

    /// - Parameter capacity: the maximum number of cells. Pages that are never written take no memory.
    init(capacity: Int) {
        self.capacity = max(capacity, 1) * MemoryLayout<Cell>.stride
        memory = UnsafeMutableRawPointer.allocate(byteCount: self.capacity, alignment: Int(NC_CELL_BYTES))
    }

    deinit { if !isTaken { memory.deallocate() } }

    /// Whole cells written.
    var count: Int { used / MemoryLayout<Cell>.stride }

    /// Appends the parts of cells and pads the last cell with zeros.
    func append(_ parts: UnsafeRawBufferPointer) {
        let stride = MemoryLayout<Cell>.stride
        let end = used + (parts.count + stride - 1) / stride * stride
        precondition(end <= capacity, "\(end) bytes of \(capacity)")
        let target = UnsafeMutableRawBufferPointer(start: memory + used, count: end - used)
        target.copyMemory(from: parts)
        if parts.count < target.count {
            UnsafeMutableRawBufferPointer(rebasing: target[parts.count...]).initializeMemory(
                as: UInt8.self, repeating: 0)
        }
        used = end
    }

    /// Returns what was written, at least one cell. The writer must not be used afterwards.
    func finish() -> CellBuffer<Cell> {
        if used == 0 {
            memory.initializeMemory(as: UInt8.self, repeating: 0, count: MemoryLayout<Cell>.stride)
            used = MemoryLayout<Cell>.stride
        }
        isTaken = true
        return CellBuffer(taking: memory, count: count)
    }
}
