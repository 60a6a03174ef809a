import CLibBPF
import Glibc

/// Maps of maps: the kernel takes the descriptor of an inner map and returns its id.
extension BPFMap {
    /// Puts an inner map at an index of an array of maps, replacing the previous one. Returns when no program can still
    /// be reading that one (about 10 ms). EINVAL when the inner map does not fit the outer map's template.
    public func setInner(at index: UInt32, _ inner: BPFMap) throws {
        try setInner(key: Self.key(index), inner)
    }

    /// Puts an inner map at a key of a map of maps.
    public func setInner(key: [UInt8], _ inner: BPFMap) throws {
        try requireSizes(key: key.count, value: MemoryLayout<Int32>.size)
        var number = inner.descriptor.number
        try check("\(call("bpf_map_update_elem")) with \(inner.name)") {
            bpf_map_update_elem(descriptor.number, key, &number, 0)
        }
    }

    /// The inner map at an index. Nil when the slot is empty.
    public func inner(at index: UInt32) throws -> BPFMap? {
        guard let value = try lookup(index: index) else { return nil }
        return try BPFMap.open(id: value.withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) })
    }

    /// Empties an index of an array of maps.
    public func removeInner(at index: UInt32) throws {
        try delete(key: Self.key(index))
    }
}
