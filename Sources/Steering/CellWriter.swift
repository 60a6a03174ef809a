import CFastPathABI

/// Fills the cells of a table that is to come, in the place where they stay.
final class CellWriter<Cell: BitwiseCopyable> {
    private let memory: UnsafeMutableRawPointer
    private let capacity: Int
    /// Bytes written.
    private var used = 0
    private var isTaken = false

    /// - Parameter capacity: cells that there is room for; what is not written takes no memory.
    init(capacity: Int) {
        self.capacity = max(capacity, 1) * MemoryLayout<Cell>.stride
        memory = UnsafeMutableRawPointer.allocate(byteCount: self.capacity, alignment: Int(NC_CELL_BYTES))
    }

    deinit { if !isTaken { memory.deallocate() } }

    /// Whole cells written.
    var count: Int { used / MemoryLayout<Cell>.stride }

    /// Appends what cells are made of, and fills the last one up with zeros.
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

    /// What was written, at least one cell. The writer is of no further use.
    func finish() -> CellBuffer<Cell> {
        if used == 0 {
            memory.initializeMemory(as: UInt8.self, repeating: 0, count: MemoryLayout<Cell>.stride)
            used = MemoryLayout<Cell>.stride
        }
        isTaken = true
        return CellBuffer(taking: memory, count: count)
    }
}
