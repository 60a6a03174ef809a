import CLibBPF
import LinuxSupport

/// A program in the kernel and an open descriptor, shared by all copies and closed with the last.
public struct BPFProgram: Sendable {
    /// The function's name. If another process loaded it, only its first 15 bytes.
    public let name: String
    /// The kernel's id of the program.
    public let id: UInt32
    /// The kernel's digest of the instructions, 16 hexadecimal digits.
    public let tag: String

    let descriptor: Descriptor

    init(_ descriptor: Descriptor, name: String? = nil) throws(SystemError) {
        let info = try descriptor.information(bpf_prog_info())
        self.descriptor = descriptor
        self.name = name ?? text(info.name)
        id = info.id
        tag = withUnsafeBytes(of: info.tag) { bytes in
            bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        }
    }

    /// Opens the program pinned at `path`.
    public static func openPinned(_ path: String) throws -> BPFProgram {
        try BPFProgram(Descriptor(pinned: path, .prog))
    }

    /// Opens a program by its kernel id. ENOENT when it is gone.
    public static func open(id: UInt32) throws -> BPFProgram {
        try BPFProgram(Descriptor(owning: try check("bpf_prog_get_fd_by_id \(id)") { bpf_prog_get_fd_by_id(id) }))
    }

    /// Pins the program at `path` in a BPF file system.
    public func pin(_ path: String) throws {
        try descriptor.pin(path)
    }

    /// Instructions that the verifier processed on load, of at most a million.
    public var verifiedInstructions: Int {
        get throws { Int(try descriptor.information(bpf_prog_info()).verified_insns) }
    }

    /// Bytes of machine code. 0 when the kernel interprets the program.
    public var jitedSize: Int {
        get throws { Int(try descriptor.information(bpf_prog_info()).jited_prog_len) }
    }
}
