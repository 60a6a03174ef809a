import CLibBPF

/// A tracing program at its tracepoint (`tp_btf/…`). It runs for the whole machine as long as the link is open.
///
/// The kernel detaches the program with the last copy of the link, however the process ends. The link cannot be pinned.
public struct TracingLink: Sendable {
    private let descriptor: Descriptor

    /// Attaches a program where its section says. EINVAL when it is of another kind, EPERM without CAP_PERFMON.
    public static func attach(_ program: BPFProgram) throws -> TracingLink {
        let number = try check("bpf_raw_tracepoint_open \(program.name)") {
            bpf_raw_tracepoint_open(nil, program.descriptor.number)
        }
        return TracingLink(descriptor: Descriptor(owning: number))
    }
}
