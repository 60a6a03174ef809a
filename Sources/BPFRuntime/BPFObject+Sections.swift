import CLibBPF
import Glibc
import LinuxSupport
import SystemPackage

/// Initial contents of data sections. The load copies them into their maps (and freezes those of `.rodata`).
///
/// A dedicated section (`SEC(".rodata.settings")`) with a single struct has it at offset 0, wherever the compiler puts
/// its own constants.
extension BPFObject {
    /// Bytes of a data section: `.rodata`, `.data`, `.bss` or a named one.
    public func size(ofSection section: String) throws -> Int {
        try initialValue(of: section).count
    }

    /// Sets initial contents of a data section from `offset` on, before the load. EINVAL when they do not fit.
    public func setInitialValue(ofSection section: String, at offset: Int = 0, _ bytes: [UInt8]) throws {
        let contents = try initialValue(of: section)
        guard offset >= 0, bytes.count <= contents.count - offset else {
            throw SystemError(
                call: "setInitialValue \(section)", errno: .invalidArgument,
                detail: "\(bytes.count) bytes at \(offset); the section has \(contents.count)")
        }
        UnsafeMutableRawBufferPointer(rebasing: contents[offset...]).copyBytes(from: bytes)
    }

    private func initialValue(of section: String) throws(SystemError) -> UnsafeMutableRawBufferPointer {
        let map = try find(map: section)
        var size = 0
        guard let contents = bpf_map__initial_value(map, &size) else {
            throw SystemError(
                call: "bpf_map__initial_value \(section)", errno: .invalidArgument, detail: "not a data section")
        }
        // libbpf returns its writable memory as const. Writing to it before the load is its purpose.
        return UnsafeMutableRawBufferPointer(start: UnsafeMutableRawPointer(mutating: contents), count: size)
    }
}
