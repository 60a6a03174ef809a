import CFastPathABI

/// Immutable cells of a table, aligned to a cache line, shared by all who read them.
public final class CellBuffer<Cell: BitwiseCopyable>: @unchecked Sendable {
    // Sendable: written in `init` only, before the object is shared; freed in `deinit`.
    private let memory: UnsafeMutableRawPointer
    public let count: Int

    public init(_ cells: [Cell]) {
        count = max(cells.count, 1)
        let size = count * MemoryLayout<Cell>.stride
        memory = .allocate(byteCount: size, alignment: Int(NC_CELL_BYTES))
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: size)
        cells.withUnsafeBytes { source in
            guard let base = source.baseAddress else { return }
            memory.copyMemory(from: base, byteCount: source.count)
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
    /// - Parameter classes16: whole cells of 32.
    convenience init(classes16: [UInt16]) {
        self.init(
            classes16.withUnsafeBytes { bytes in
                (0..<bytes.count / MemoryLayout<nc_class_cell>.stride).map {
                    bytes.loadUnaligned(fromByteOffset: $0 * MemoryLayout<nc_class_cell>.stride, as: nc_class_cell.self)
                }
            })
    }

    /// Class of a place, in the table whose map begins at `first`.
    func classNumber(first: Int, place: Int) -> Int {
        let perCell = Int(NC_CLASSES_PER_CELL)
        return withUnsafeBytes(of: self[first + place / perCell].pointee) {
            Int($0.load(fromByteOffset: 2 * (place % perCell), as: UInt16.self))
        }
    }
}
