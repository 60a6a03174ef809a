import CLinux
import Glibc
import LinuxSupport
import SystemPackage

/// The file system that holds pinned maps, programs and links.
public enum BPFFileSystem {
    /// The customary mount point.
    public static let root = "/sys/fs/bpf"

    /// Mounts a BPF file system at `path` unless there is one. The folder must exist.
    public static func ensureMounted(at path: String = root) throws {
        guard !isBPF(path) else { return }
        try callSettingErrno("mount bpf \(path)") { mount("bpf", path, "bpf", 0, "mode=0700") }
    }

    /// Whether `path` is in a BPF file system.
    public static func isBPF(_ path: String) -> Bool {
        linux_file_system_magic(path) == linux_bpf_magic
    }

    public static func exists(_ path: String) -> Bool {
        access(path, F_OK) == 0
    }

    /// Creates a folder and its missing parents. Refuses a path outside of a BPF file system.
    public static func makeDirectory(_ path: String) throws {
        if exists(path) {
            return try requireBPF(path)
        }
        let parent = try folder(of: path)
        try makeDirectory(parent)
        if mkdir(path, 0o700) != 0 && errno != EEXIST {
            throw SystemError.last("mkdir \(path)")
        }
    }

    /// The names in a folder, sorted. Empty when there is no such folder.
    public static func list(_ path: String) throws -> [String] {
        guard let folder = opendir(path) else {
            if errno == ENOENT { return [] }
            throw SystemError.last("opendir \(path)")
        }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            names.append(text(entry.pointee.d_name))
        }
        return names.filter { $0 != "." && $0 != ".." }.sorted()
    }

    /// Renames a pin within the same file system, replacing an existing one.
    public static func rename(_ path: String, to other: String) throws {
        try requireBPF(path)
        try callSettingErrno("rename \(path) to \(other)") { Glibc.rename(path, other) }
    }

    /// Removes a pin, or a folder with its contents, if it exists. Refuses the mount point itself and anything outside
    /// of a BPF file system, and follows no symbolic link.
    public static func removeTree(_ path: String) throws {
        let parent = try folder(of: path)
        var state = stat()
        guard lstat(path, &state) == 0 else {
            if errno == ENOENT { return }
            throw SystemError.last("lstat \(path)")
        }
        try requireBPF(parent)
        guard state.st_mode & S_IFMT == S_IFDIR else {
            try callSettingErrno("unlink \(path)") { unlink(path) }
            return
        }
        for name in try list(path) {
            try removeTree("\(path)/\(name)")
        }
        try callSettingErrno("rmdir \(path)") { rmdir(path) }
    }

    private static func requireBPF(_ path: String) throws(SystemError) {
        guard !isBPF(path) else { return }
        throw SystemError(call: path, errno: .invalidArgument, detail: "not in a BPF file system")
    }

    /// The parent path. Refuses relative paths and "..".
    private static func folder(of path: String) throws(SystemError) -> String {
        let names = path.split(separator: "/")
        guard path.hasPrefix("/"), !names.isEmpty, !names.contains("..") else {
            throw SystemError(call: path, errno: .invalidArgument, detail: "not an absolute path")
        }
        return "/" + names.dropLast().joined(separator: "/")
    }
}
