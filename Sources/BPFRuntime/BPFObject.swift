import CLibBPF
import Glibc
import LinuxSupport
import SystemPackage

/// A compiled object on its way into the kernel: opened, adjusted, loaded.
///
/// Maps and programs taken from it have their own descriptors and outlive it. Not `Sendable`: libbpf's object is used
/// by one thread.
public final class BPFObject {
    let object: OpaquePointer
    /// Kept open until the load, which reads their shape.
    private var templates: [BPFMap] = []

    /// Opens an object from its ELF bytes. `name`, at most 15 bytes, is the prefix of its internal maps' names.
    public init(bytes: [UInt8], name: String) throws {
        // errno is read before the log is removed, which may change it.
        let ((opened, reason), log) = LibraryLog.collect { () -> (OpaquePointer?, Int32) in
            let opened = name.withCString { name in
                var options = bpf_object_open_opts()
                clear(&options)
                options.sz = MemoryLayout<bpf_object_open_opts>.size
                options.object_name = name
                return bytes.withUnsafeBytes { bpf_object__open_mem($0.baseAddress, $0.count, &options) }
            }
            return (opened, errno)
        }
        guard let opened else {
            throw SystemError(libbpf: "bpf_object__open_mem \(name)", reason, detail: LibraryLog.tail(log))
        }
        object = opened
    }

    deinit {
        bpf_object__close(object)
    }

    /// Loads maps and programs into the kernel. If a program is rejected, the error carries the end of the verifier's
    /// log.
    public func load() throws {
        try checkLogged("bpf_object__load") { bpf_object__load(object) }
        templates = []
    }

    /// Names that ``map(_:)`` accepts, in the object's order. Data sections go by their section name: `.rodata`,
    /// `.data.words`.
    public var mapNames: [String] {
        var names: [String] = []
        var map = bpf_object__next_map(object, nil)
        while let found = map {
            names.append(String(cString: bpf_map__name(found)))
            map = bpf_object__next_map(object, found)
        }
        return names
    }

    /// A map of the loaded object, by its name in the source or by its section.
    public func map(_ name: String) throws -> BPFMap {
        let number = bpf_map__fd(try find(map: name))
        guard number >= 0 else { throw SystemError(libbpf: "bpf_map__fd \(name)", -number) }
        return try BPFMap(Descriptor(duplicating: number))
    }

    /// A program of the loaded object, by its function name.
    public func program(_ name: String) throws -> BPFProgram {
        guard let found = bpf_object__find_program_by_name(object, name) else {
            throw SystemError(call: "bpf_object__find_program_by_name \(name)", errno: .noSuchFileOrDirectory)
        }
        let number = bpf_program__fd(found)
        guard number >= 0 else { throw SystemError(libbpf: "bpf_program__fd \(name)", -number) }
        return try BPFProgram(Descriptor(duplicating: number), name: name)
    }

    func find(map name: String) throws(SystemError) -> OpaquePointer {
        guard let found = bpf_object__find_map_by_name(object, name) else {
            throw SystemError(
                call: "bpf_object__find_map_by_name \(name)", errno: .noSuchFileOrDirectory,
                detail: "maps: \(mapNames.joined(separator: ", "))")
        }
        return found
    }
}

// MARK: Between opening and loading

extension BPFObject {
    /// Overrides the number of entries of a map.
    public func setMaxEntries(map name: String, _ entries: UInt32) throws {
        let map = try find(map: name)
        try checkLogged("bpf_map__set_max_entries \(name)") { bpf_map__set_max_entries(map, entries) }
    }

    /// Sets the template that inner maps of `outer` must match, if the source declares none, or to replace it.
    public func setInnerMap(outer name: String, template: BPFMap) throws {
        let map = try find(map: name)
        try checkLogged("bpf_map__set_inner_map_fd \(name)") {
            bpf_map__set_inner_map_fd(map, template.descriptor.number)
        }
        templates.append(template)
    }

    /// Uses an existing map instead of creating one. A data section keeps the contents of the existing map.
    public func reuse(map name: String, _ existing: BPFMap) throws {
        let map = try find(map: name)
        try checkLogged("bpf_map__reuse_fd \(name)") { bpf_map__reuse_fd(map, existing.descriptor.number) }
    }

    /// Pins the map at `path` on load, or reuses the map pinned there. One with another shape is rejected.
    public func setPinPath(map name: String, _ path: String) throws {
        let map = try find(map: name)
        try checkLogged("bpf_map__set_pin_path \(name)") { bpf_map__set_pin_path(map, path) }
    }

    /// Excludes a program of the object from the load, or includes it.
    public func setLoaded(program name: String, _ loaded: Bool) throws {
        guard let found = bpf_object__find_program_by_name(object, name) else {
            throw SystemError(call: "bpf_object__find_program_by_name \(name)", errno: .noSuchFileOrDirectory)
        }
        try checkLogged("bpf_program__set_autoload \(name)") { bpf_program__set_autoload(found, loaded) }
    }

    /// Creates a map with the shape and types of the loaded object's map `name`, and its own number of entries.
    ///
    /// The types let `bpftool map dump` show fields by name. They are taken from the object itself: looking them up by
    /// kernel id would need CAP_SYS_ADMIN.
    ///
    /// - Parameter typed: false omits the types.
    public func create(like name: String, maxEntries: Int, typed: Bool = true) throws -> BPFMap {
        try shape(of: name, typed: typed).create(maxEntries: maxEntries)
    }

    /// The shape and types of the loaded object's map `name`.
    ///
    /// - Parameter typed: false omits the types.
    public func shape(of name: String, typed: Bool = true) throws -> BPFMap.Shape {
        let map = try find(map: name)
        return BPFMap.Shape(
            name: String(cString: bpf_map__name(map)), type: bpf_map__type(map), keySize: bpf_map__key_size(map),
            valueSize: bpf_map__value_size(map), flags: bpf_map__map_flags(map),
            types: typed
                ? (
                    try Descriptor(duplicating: bpf_object__btf_fd(object)), bpf_map__btf_key_type_id(map),
                    bpf_map__btf_value_type_id(map)
                ) : nil)
    }
}
