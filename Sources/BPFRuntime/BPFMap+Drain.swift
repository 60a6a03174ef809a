import CLibBPF
import Glibc

extension BPFMap {
    /// Removes every element from a hash and passes its key and value on. Elements that are added meanwhile may remain.
    ///
    /// Each element is read and removed in one step, so none is lost or passed on twice.
    public func drain(_ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Void) throws {
        guard type == .hash else { throw sizeError("only a hash can be drained") }
        // The batch must hold at least the elements of the fullest bucket, or the kernel returns none: ENOSPC.
        var room = min(maxEntries, 4096)
        var position = [UInt64](repeating: 0, count: max(1, (keySize + 7) / 8))
        var isFirst = true
        // Elements added as fast as they are removed would otherwise keep this from ending.
        for _ in 0..<(2 * maxEntries / room + 64) {
            var keys = [UInt8](repeating: 0, count: room * keySize)
            var values = [UInt8](repeating: 0, count: room * valueSize)
            var count = UInt32(room)
            var next = position
            let result = position.withUnsafeMutableBytes { position in
                bpf_map_lookup_and_delete_batch(
                    descriptor.number, isFirst ? nil : position.baseAddress, &next, &keys, &values, &count, nil)
            }
            guard result != -ENOSPC || room == maxEntries else {
                room = min(2 * room, maxEntries)
                continue
            }
            if result != -ENOENT { try check(call("bpf_map_lookup_and_delete_batch")) { result } }
            pass(Int(count), keys, values, body)
            if result == -ENOENT { return }
            (position, isFirst) = (next, false)
        }
    }

    private func pass(
        _ count: Int, _ keys: [UInt8], _ values: [UInt8],
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Void
    ) {
        keys.withUnsafeBytes { keys in
            values.withUnsafeBytes { values in
                for index in 0..<count {
                    body(
                        UnsafeRawBufferPointer(rebasing: keys[index * keySize..<(index + 1) * keySize]),
                        UnsafeRawBufferPointer(rebasing: values[index * valueSize..<(index + 1) * valueSize]))
                }
            }
        }
    }
}
