import CLibBPF
import Glibc
public import LinuxSupport

/// Whether this process, on this kernel, has what the fast path needs.
public enum BPFSupport {
    /// Why BPF cannot be used.
    public enum Obstacle: Sendable, CustomStringConvertible {
        /// Older than 6.1, the oldest kernel on which the programs are verified.
        case oldKernel(release: String)
        /// The capabilities that are missing.
        case missingPrivilege([String])
        /// The kernel was built without BTF.
        case noTypeInformation
        /// The kernel refuses for another reason: lockdown, a seccomp filter, a missing option.
        case refused(SystemError)

        public var description: String {
            switch self {
            case .oldKernel(let release): "kernel \(release) is older than 6.1"
            case .missingPrivilege(let names): "missing \(names.joined(separator: " and "))"
            case .noTypeInformation: "the kernel has no BTF (/sys/kernel/btf/vmlinux; CONFIG_DEBUG_INFO_BTF)"
            case .refused(let error): "the kernel refuses: \(error)"
            }
        }
    }

    /// Tests it: nil when a map and an XDP program can be loaded. Leaves nothing behind.
    public static func probe() -> Obstacle? {
        if let release = oldRelease() { return .oldKernel(release: release) }
        let missing = missingCapabilities()
        guard missing.isEmpty else { return .missingPrivilege(missing) }
        guard access("/sys/kernel/btf/vmlinux", R_OK) == 0 else { return .noTypeInformation }
        do throws(SystemError) {
            try loadNothing()
            return nil
        } catch {
            return .refused(error)
        }
    }

    private static func oldRelease() -> String? {
        var system = utsname()
        guard uname(&system) == 0 else { return "of unknown release" }
        let release = text(system.release)
        let numbers = release.split { !$0.isNumber }.prefix(2).compactMap { Int($0) }
        return numbers.lexicographicallyPrecedes([6, 1]) ? release : nil
    }

    /// CAP_BPF for maps and programs, CAP_NET_ADMIN to attach them. CAP_SYS_ADMIN implies the first. CAP_PERFMON lifts
    /// the verifier's rules for unprivileged programs.
    private static func missingCapabilities() -> [String] {
        guard let status = try? readFile("/proc/self/status"),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix("CapEff:") }),
            let effective = UInt64(line.dropFirst("CapEff:".count).drop { $0 == "\t" || $0 == " " }, radix: 16)
        else { return [] }
        func has(_ bit: Int) -> Bool { effective >> bit & 1 == 1 }
        let administrator = has(21)
        var missing: [String] = []
        if !has(39) && !administrator { missing.append("CAP_BPF") }
        if !has(38) && !administrator { missing.append("CAP_PERFMON") }
        if !has(12) { missing.append("CAP_NET_ADMIN") }
        return missing
    }

    /// Creates a map with one element and loads `return XDP_PASS`.
    private static func loadNothing() throws(SystemError) {
        _ = Descriptor(
            owning: try check("bpf_map_create") { bpf_map_create(BPF_MAP_TYPE_ARRAY, "probe", 4, 8, 1, nil) })
        // Two 8-byte instructions: r0 = 2; exit.
        let instructions: [UInt64] = [0x0000_0002_0000_00b7, 0x0000_0000_0000_0095]
        _ = Descriptor(
            owning: try check("bpf_prog_load") {
                instructions.withUnsafeBytes { bytes in
                    bpf_prog_load(
                        BPF_PROG_TYPE_XDP, "probe", "GPL", bytes.bindMemory(to: bpf_insn.self).baseAddress,
                        instructions.count, nil)
                }
            })
    }
}
