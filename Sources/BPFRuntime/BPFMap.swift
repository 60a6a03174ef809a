import CLibBPF
import LinuxSupport

/// A BPF map: its shape and an open descriptor, shared by all copies and closed with the last.
///
/// Every operation is one system call on the descriptor. The kernel makes them safe on any thread.
public struct BPFMap: Sendable {
    /// The kernel's name of the map, at most 15 bytes.
    public let name: String
    public let type: MapType
    /// Bytes of a key.
    public let keySize: Int
    /// Bytes of a value. For a per-CPU map: of one CPU's value.
    public let valueSize: Int
    public let maxEntries: Int
    public let flags: Flags
    /// The kernel's id of the map, unique until it is removed.
    public let id: UInt32

    let descriptor: Descriptor

    init(_ descriptor: Descriptor) throws(SystemError) {
        let info = try descriptor.information(bpf_map_info())
        self.descriptor = descriptor
        name = text(info.name)
        type = MapType(rawValue: info.type)
        keySize = Int(info.key_size)
        valueSize = Int(info.value_size)
        maxEntries = Int(info.max_entries)
        flags = Flags(rawValue: info.map_flags)
        id = info.id
    }

    /// Creates a map that belongs to no object. The kernel refuses names longer than 15 bytes.
    public static func create(
        type: MapType, name: String, keySize: Int, valueSize: Int, maxEntries: Int, flags: Flags = []
    ) throws -> BPFMap {
        var options = bpf_map_create_opts()
        clear(&options)
        options.sz = MemoryLayout<bpf_map_create_opts>.size
        options.map_flags = flags.rawValue
        let number = try check("bpf_map_create \(name)") {
            bpf_map_create(
                bpf_map_type(rawValue: type.rawValue), name, UInt32(keySize), UInt32(valueSize), UInt32(maxEntries),
                &options)
        }
        return try BPFMap(Descriptor(owning: number))
    }

    /// Opens the map pinned at `path`. Refuses another kind of pin.
    public static func openPinned(_ path: String) throws -> BPFMap {
        try BPFMap(Descriptor(pinned: path, .map))
    }

    /// Opens a map by its kernel id. ENOENT when it is gone.
    public static func open(id: UInt32) throws -> BPFMap {
        try BPFMap(Descriptor(owning: try check("bpf_map_get_fd_by_id \(id)") { bpf_map_get_fd_by_id(id) }))
    }

    /// Pins the map at `path` in a BPF file system. It then exists without a process until the path is removed.
    public func pin(_ path: String) throws {
        try descriptor.pin(path)
    }

    /// Kernel memory of the map in bytes, as the kernel accounts it.
    public var memlockBytes: Int {
        get throws {
            let path = "/proc/self/fdinfo/\(descriptor.number)"
            let line = try readFile(path).split(separator: "\n").first { $0.hasPrefix("memlock:") }
            return line.flatMap { Int($0.dropFirst("memlock:".count).drop { $0 == "\t" || $0 == " " }) } ?? 0
        }
    }
}

extension BPFMap {
    /// The type of a map, with the kernel's numbers (`enum bpf_map_type`).
    public struct MapType: RawRepresentable, Sendable, Hashable {
        public let rawValue: UInt32

        public init(rawValue: UInt32) {
            self.rawValue = rawValue
        }

        private init(_ type: bpf_map_type) {
            rawValue = type.rawValue
        }

        public static let hash = MapType(BPF_MAP_TYPE_HASH)
        public static let array = MapType(BPF_MAP_TYPE_ARRAY)
        public static let perCPUHash = MapType(BPF_MAP_TYPE_PERCPU_HASH)
        public static let perCPUArray = MapType(BPF_MAP_TYPE_PERCPU_ARRAY)
        public static let lruHash = MapType(BPF_MAP_TYPE_LRU_HASH)
        public static let lpmTrie = MapType(BPF_MAP_TYPE_LPM_TRIE)
        public static let arrayOfMaps = MapType(BPF_MAP_TYPE_ARRAY_OF_MAPS)
        public static let hashOfMaps = MapType(BPF_MAP_TYPE_HASH_OF_MAPS)
        public static let programArray = MapType(BPF_MAP_TYPE_PROG_ARRAY)
        public static let ringBuffer = MapType(BPF_MAP_TYPE_RINGBUF)

        /// Whether each key has one value for each possible CPU.
        var isPerCPU: Bool {
            [.perCPUHash, .perCPUArray, Self(BPF_MAP_TYPE_LRU_PERCPU_HASH)].contains(self)
        }
    }

    /// Creation flags of a map (`BPF_F_…`).
    public struct Flags: OptionSet, Sendable {
        public let rawValue: UInt32

        public init(rawValue: UInt32) {
            self.rawValue = rawValue
        }

        /// A hash allocates elements on insertion. Required for LPM tries.
        public static let noPreallocation = Flags(rawValue: UInt32(BPF_F_NO_PREALLOC))
        /// An array whose values can be mapped into memory.
        public static let memoryMappable = Flags(rawValue: UInt32(BPF_F_MMAPABLE))
        /// An array that can be placed in an outer map whose template has another number of entries.
        public static let inner = Flags(rawValue: UInt32(BPF_F_INNER_MAP))
        /// Programs can only read the map.
        public static let programReadOnly = Flags(rawValue: UInt32(BPF_F_RDONLY_PROG))
    }
}
