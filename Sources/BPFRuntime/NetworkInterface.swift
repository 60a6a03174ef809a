import CLibBPF
import CLinux
import Glibc
public import LinuxSupport

/// An interface of the calling thread's network namespace.
public struct NetworkInterface: Hashable, Sendable {
    public let name: String
    public let index: UInt32

    /// Nil when there is no such interface.
    public init?(_ name: String) {
        let index = if_nametoindex(name)
        guard index != 0 else { return nil }
        self.name = name
        self.index = index
    }

    /// Finds an interface when the reason for its absence matters: without a free descriptor the system cannot tell.
    ///
    /// - Returns: `nil` when there is no such interface.
    /// - Throws: when the system cannot tell.
    public static func find(_ name: String) throws(SystemError) -> NetworkInterface? {
        errno = 0
        if let found = NetworkInterface(name) { return found }
        guard errno == 0 || errno == ENODEV || errno == ENXIO else {
            throw SystemError.last("if_nametoindex")
        }
        return nil
    }

    /// Whether it is up (`ip link set … up`), with or without carrier.
    public var isUp: Bool { linux_interface_is_up(name) > 0 }

    /// Replies of XDP programs that the driver could not send since it was loaded, as it counts them. Nil when it counts
    /// none, or when its statistics cannot be read now.
    public var unsentReplies: UInt64? {
        var unsent: UInt64 = 0
        return linux_interface_unsent(name, &unsent) == 0 ? unsent : nil
    }

    /// The mode of the attached XDP program. Nil when there is none, or when it runs in hardware.
    public var xdpMode: XDPMode? {
        var options = bpf_xdp_query_opts()
        clear(&options)
        options.sz = MemoryLayout<bpf_xdp_query_opts>.size
        guard bpf_xdp_query(Int32(index), 0, &options) == 0 else { return nil }
        return switch UInt32(options.attach_mode) {
        case UInt32(XDP_ATTACHED_DRV): .native
        case UInt32(XDP_ATTACHED_SKB): .generic
        default: nil
        }
    }
}
