import CLibBPF
import Glibc
import LinuxSupport
import SystemPackage

/// A file descriptor of a BPF object, closed with its last owner.
final class Descriptor: Sendable {
    let number: Int32

    init(owning number: Int32) {
        self.number = number
    }

    /// Duplicates a descriptor that libbpf owns.
    convenience init(duplicating number: Int32) throws(SystemError) {
        self.init(owning: try callSettingErrno("fcntl F_DUPFD_CLOEXEC") { fcntl(number, F_DUPFD_CLOEXEC, 3) })
    }

    /// The kinds of object that can be pinned.
    enum Kind: String {
        case map, prog, link
    }

    /// Opens the object pinned at the path. EINVAL when it is of another kind, whose `bpf_…_info` the kernel would
    /// otherwise return in place of the expected one.
    convenience init(pinned path: String, _ kind: Kind) throws(SystemError) {
        self.init(owning: try check("bpf_obj_get \(path)") { bpf_obj_get(path) })
        guard try readFile("/proc/self/fdinfo/\(number)").contains("\n\(kind.rawValue)_type:") else {
            throw SystemError(call: "bpf_obj_get \(path)", errno: .invalidArgument, detail: "not a \(kind.rawValue)")
        }
    }

    deinit {
        close(number)
    }

    /// Pins the object at `path` in a BPF file system. It exists until that path is removed.
    func pin(_ path: String) throws(SystemError) {
        try check("bpf_obj_pin \(path)") { bpf_obj_pin(number, path) }
    }

    /// The kernel's information about the object. `Info` is the `bpf_…_info` of its kind.
    func information<Info>(_ empty: Info) throws(SystemError) -> Info {
        var info = empty
        var size = UInt32(MemoryLayout<Info>.size)
        try check("bpf_obj_get_info_by_fd") {
            withUnsafeMutableBytes(of: &info) { bpf_obj_get_info_by_fd(number, $0.baseAddress, &size) }
        }
        return info
    }
}

/// The text of a C character array (a tuple in Swift) that ends with a zero byte or with the array.
func text<Characters>(_ characters: Characters) -> String {
    withUnsafeBytes(of: characters) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
}

/// The contents of a small file, such as one of /proc.
func readFile(_ path: String) throws(SystemError) -> String {
    let file = Descriptor(owning: try callSettingErrno("open \(path)") { open(path, O_RDONLY | O_CLOEXEC) })
    var content: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while true {
        let count = try callSettingErrno("read \(path)") { Int32(read(file.number, &chunk, chunk.count)) }
        guard count > 0 else { return String(decoding: content, as: UTF8.self) }
        content += chunk[..<Int(count)]
    }
}
