import CLibBPF

extension BPFProgram {
    /// The result of a test run of an XDP program.
    public typealias TestRun = (returnValue: UInt32, packet: [UInt8], nanoseconds: UInt32)

    /// Runs an XDP program on a frame, without a network (`BPF_PROG_TEST_RUN`).
    ///
    /// - Parameters:
    ///   - packet: the frame from its Ethernet header on, at least 14 bytes.
    ///   - repeat: the number of runs. The frame is **not** restored in between: a program that answers sees its own
    ///     reply from the second run on.
    ///   - ingressIndex: the interface on which the frame seems to arrive. Nil: the loopback interface's queue.
    ///   - room: bytes by which the frame may grow.
    /// - Returns: the verdict of the last run, the frame after it, and the mean duration of a run.
    public func testRun(
        packet: [UInt8], repeat count: UInt32 = 1, ingressIndex: UInt32? = nil, room: Int = 4096
    ) throws -> TestRun {
        var output = [UInt8](repeating: 0, count: packet.count + room)
        var context = xdp_md()
        context.data_end = UInt32(packet.count)
        context.ingress_ifindex = ingressIndex ?? 0
        var options = bpf_test_run_opts()
        clear(&options)
        options.sz = MemoryLayout<bpf_test_run_opts>.size
        options.data_size_in = UInt32(packet.count)
        options.data_size_out = UInt32(output.count)
        options.repeat = Int32(count)
        try packet.withUnsafeBytes { input in
            try output.withUnsafeMutableBytes { output in
                try withUnsafeMutableBytes(of: &context) { context in
                    options.data_in = input.baseAddress.map { UnsafeRawPointer($0) }
                    options.data_out = output.baseAddress
                    if ingressIndex != nil {
                        options.ctx_in = UnsafeRawPointer(context.baseAddress)
                        options.ctx_size_in = UInt32(context.count)
                    }
                    _ = try check("bpf_prog_test_run_opts \(name)") {
                        bpf_prog_test_run_opts(descriptor.number, &options)
                    }
                }
            }
        }
        return (options.retval, Array(output.prefix(Int(options.data_size_out))), options.duration)
    }
}
