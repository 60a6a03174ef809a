import CLibBPF
import Glibc
import LinuxSupport
import SystemPackage

extension BPFMap {
    /// When an update applies.
    public enum Condition: UInt64, Sendable {
        /// Insert or replace.
        case always = 0
        /// Insert; EEXIST when the key is there.
        case absent = 1
        /// Replace; ENOENT when the key is not there.
        case present = 2
    }

    /// Sets the value of a key. `key` and `value` have exactly the map's sizes (for a per-CPU map: see
    /// ``updatePerCPU(key:_:)``).
    public func update(key: [UInt8], value: [UInt8], _ condition: Condition = .always) throws {
        try requireSizes(key: key.count, value: value.count)
        try requireOneValue()
        try check(call("bpf_map_update_elem")) {
            bpf_map_update_elem(descriptor.number, key, value, condition.rawValue)
        }
    }

    /// Sets the value at an index of an array.
    public func update(index: UInt32, value: [UInt8]) throws {
        try update(key: Self.key(index), value: value)
    }

    /// The value of a key, nil when the key is not there. In a per-CPU map: see ``lookupPerCPU(key:)``.
    public func lookup(key: [UInt8]) throws -> [UInt8]? {
        try requireSizes(key: key.count)
        try requireOneValue()
        return try read(key: key, bytes: valueSize)
    }

    /// The value at an index of an array, nil beyond its end.
    public func lookup(index: UInt32) throws -> [UInt8]? {
        try lookup(key: Self.key(index))
    }

    /// Removes a key; false when it was not there.
    @discardableResult
    public func delete(key: [UInt8]) throws -> Bool {
        try requireSizes(key: key.count)
        let result = bpf_map_delete_elem(descriptor.number, key)
        if result == -ENOENT { return false }
        try check(call("bpf_map_delete_elem")) { result }
        return true
    }

    /// Every key, in the kernel's order. Concurrent changes may cause keys to be missed or, in a hash, restart the
    /// walk.
    public func keys() throws -> [[UInt8]] {
        var keys: [[UInt8]] = []
        var next = [UInt8](repeating: 0, count: keySize)
        var previous: [UInt8]?
        while true {
            let result = bpf_map_get_next_key(descriptor.number, previous, &next)
            if result == -ENOENT { return keys }
            try check(call("bpf_map_get_next_key")) { result }
            keys.append(next)
            previous = next
        }
    }
}

// MARK: Per-CPU values

extension BPFMap {
    /// The CPUs for which the kernel keeps per-CPU values: all possible ones.
    public static var possibleCPUs: Int {
        get throws { Int(try check("libbpf_num_possible_cpus") { libbpf_num_possible_cpus() }) }
    }

    /// The values of a key in a per-CPU map, one for each possible CPU; nil when the key is not there.
    public func lookupPerCPU(key: [UInt8]) throws -> [[UInt8]]? {
        try requireSizes(key: key.count)
        try requirePerCPU()
        let cpus = try Self.possibleCPUs
        guard let all = try read(key: key, bytes: stride * cpus) else { return nil }
        return (0..<cpus).map { Array(all[$0 * stride..<$0 * stride + valueSize]) }
    }

    /// The values at an index of a per-CPU array, one for each possible CPU. ENOENT beyond the end.
    public func lookupPerCPU(index: UInt32) throws -> [[UInt8]] {
        guard let values = try lookupPerCPU(key: Self.key(index)) else {
            throw SystemError(call: call("bpf_map_lookup_elem"), errno: .noSuchFileOrDirectory)
        }
        return values
    }

    /// Sets the values of a key in a per-CPU map, one for each possible CPU.
    public func updatePerCPU(key: [UInt8], _ values: [[UInt8]]) throws {
        try requirePerCPU()
        guard values.count == (try Self.possibleCPUs) else { throw sizeError("\(values.count) values") }
        var all: [UInt8] = []
        for value in values {
            try requireSizes(key: key.count, value: value.count)
            all += value + [UInt8](repeating: 0, count: stride - valueSize)
        }
        try check(call("bpf_map_update_elem")) { bpf_map_update_elem(descriptor.number, key, all, 0) }
    }

    /// Sets the values at an index of a per-CPU array, one for each possible CPU.
    public func updatePerCPU(index: UInt32, _ values: [[UInt8]]) throws {
        try updatePerCPU(key: Self.key(index), values)
    }

    /// The kernel aligns each CPU's value to 8 bytes.
    private var stride: Int { (valueSize + 7) & ~7 }
}

// MARK: Batches

extension BPFMap {
    /// Sets many keys with one system call, about 200 ns per entry. `keys` and `values` are contiguous. After a failure
    /// some of them may have been set.
    public func updateBatch(keys: UnsafeRawBufferPointer, values: UnsafeRawBufferPointer) throws {
        try requireOneValue()
        let entries = keySize == 0 ? 0 : keys.count / keySize
        guard keys.count == entries * keySize, values.count == entries * valueSize else {
            throw sizeError("batch of \(keys.count) key bytes and \(values.count) value bytes")
        }
        guard entries > 0 else { return }
        var count = UInt32(entries)
        try check(call("bpf_map_update_batch")) {
            bpf_map_update_batch(descriptor.number, keys.baseAddress, values.baseAddress, &count, nil)
        }
    }

    /// Sets many keys with one system call; see ``updateBatch(keys:values:)-(UnsafeRawBufferPointer,_)``.
    public func updateBatch(keys: [UInt8], values: [UInt8]) throws {
        try keys.withUnsafeBytes { keys in
            try values.withUnsafeBytes { values in try updateBatch(keys: keys, values: values) }
        }
    }

    /// Sets the values of an array from `first` on with one system call. `values` are contiguous.
    public func updateBatch(from first: UInt32 = 0, values: UnsafeRawBufferPointer) throws {
        let entries = valueSize == 0 ? 0 : values.count / valueSize
        let indices = (0..<UInt32(entries)).map { first + $0 }
        try indices.withUnsafeBytes { try updateBatch(keys: $0, values: values) }
    }
}

// MARK: Checks before the kernel is given a pointer

extension BPFMap {
    /// The key of an array element.
    static func key(_ index: UInt32) -> [UInt8] {
        withUnsafeBytes(of: index) { Array($0) }
    }

    func call(_ name: String) -> String { "\(name) \(self.name)" }

    func sizeError(_ what: String) -> SystemError {
        SystemError(
            call: call("map"), errno: .invalidArgument,
            detail: "\(what); the map has keys of \(keySize) bytes and values of \(valueSize)")
    }

    func requireSizes(key: Int, value: Int? = nil) throws(SystemError) {
        guard key == keySize else { throw sizeError("key of \(key) bytes") }
        guard let value, value != valueSize else { return }
        throw sizeError("value of \(value) bytes")
    }

    private func requirePerCPU() throws(SystemError) {
        guard type.isPerCPU else { throw sizeError("per-CPU values for a map without them") }
    }

    /// The kernel would read or write beyond the bytes of a single value.
    private func requireOneValue() throws(SystemError) {
        guard !type.isPerCPU else { throw sizeError("a single value for a per-CPU map") }
    }

    private func read(key: [UInt8], bytes: Int) throws(SystemError) -> [UInt8]? {
        var value = [UInt8](repeating: 0, count: bytes)
        let result = bpf_map_lookup_elem(descriptor.number, key, &value)
        if result == -ENOENT { return nil }
        try check(call("bpf_map_lookup_elem")) { result }
        return value
    }
}
