import CLibBPF
import Glibc

extension BPFMap {
    /// Takes every element out of a hash and passes on its key and value. Elements that come meanwhile may stay.
    ///
    /// Each element is read and removed in one step, so that none is passed on twice or lost.
    public func drain(_ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Void) throws {
        guard type == .hash else { throw sizeError("drained though it is no hash") }
        // At least the elements of the fullest bucket must fit, else the kernel gives none of them: ENOSPC.
        var room = min(maxEntries, 4096)
        var position = [UInt64](repeating: 0, count: max(1, (keySize + 7) / 8))
        var isFirst = true
        // Elements that come as fast as they are taken would keep this from ending.
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
