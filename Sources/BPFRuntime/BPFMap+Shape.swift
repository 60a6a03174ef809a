import CLibBPF

extension BPFMap {
    /// The parameters of a map, independent of the object they were taken from. Usable on any thread.
    public struct Shape: Sendable {
        let name: String
        let type: bpf_map_type
        let keySize: UInt32
        let valueSize: UInt32
        let flags: UInt32
        /// BTF types of key and value, and the descriptor of their BTF. `nil`: without types.
        let types: (btf: Descriptor, key: UInt32, value: UInt32)?

        /// Creates a map of this shape with the given number of entries.
        public func create(maxEntries: Int) throws -> BPFMap {
            var options = bpf_map_create_opts()
            clear(&options)
            options.sz = MemoryLayout<bpf_map_create_opts>.size
            options.map_flags = flags
            if let types {
                options.btf_fd = UInt32(types.btf.number)
                options.btf_key_type_id = types.key
                options.btf_value_type_id = types.value
            }
            let number = try check("bpf_map_create \(name)") {
                bpf_map_create(type, name, keySize, valueSize, UInt32(maxEntries), &options)
            }
            return try BPFMap(Descriptor(owning: number))
        }
    }
}
