import CLibBPF
import Glibc
import LinuxSupport
import SystemPackage

/// Where an XDP program runs.
public enum XDPMode: String, Sendable, CaseIterable {
    /// In the driver, before the kernel allocates a packet buffer.
    case native
    /// In the kernel's generic receive path: works with any driver, but slower.
    case generic

    var flags: UInt32 { self == .native ? XDP_FLAGS_DRV_MODE : XDP_FLAGS_SKB_MODE }
}

/// A program attached to an interface. It stays attached as long as the link is open somewhere or pinned.
public struct XDPLink: Sendable {
    /// The kernel's id of the link.
    public let id: UInt32

    let descriptor: Descriptor

    /// The current ends of a link.
    public struct Information: Sendable, Equatable {
        /// The interface, 0 when it is gone. An index in the namespace in which the link was created.
        public let interfaceIndex: UInt32
        public let programID: UInt32
    }

    init(_ descriptor: Descriptor) throws(SystemError) {
        let info = try descriptor.information(bpf_link_info())
        guard info.type == BPF_LINK_TYPE_XDP.rawValue else {
            throw SystemError(
                call: "XDP link", errno: .invalidArgument, detail: "link \(info.id) is of type \(info.type)")
        }
        self.descriptor = descriptor
        id = info.id
    }

    /// Attaches a program to an interface of the calling thread's network namespace.
    ///
    /// Never falls back to another mode: EOPNOTSUPP when the driver does not support it, EBUSY when another program is
    /// attached, EEXIST when one is attached in the other mode.
    public static func create(_ program: BPFProgram, interfaceIndex: UInt32, mode: XDPMode) throws -> XDPLink {
        var options = bpf_link_create_opts()
        clear(&options)
        options.sz = MemoryLayout<bpf_link_create_opts>.size
        options.flags = mode.flags
        let number = try check("bpf_link_create \(program.name) \(mode.rawValue) on interface \(interfaceIndex)") {
            bpf_link_create(program.descriptor.number, Int32(interfaceIndex), BPF_XDP, &options)
        }
        return try XDPLink(Descriptor(owning: number))
    }

    /// Attaches a program to an interface by name; ENODEV when there is none.
    public static func create(_ program: BPFProgram, interface: String, mode: XDPMode) throws -> XDPLink {
        let index = if_nametoindex(interface)
        guard index != 0 else { throw SystemError.last("if_nametoindex \(interface)") }
        return try create(program, interfaceIndex: index, mode: mode)
    }

    /// Opens the link pinned at `path`. EINVAL when it is not an XDP link.
    public static func openPinned(_ path: String) throws -> XDPLink {
        try XDPLink(Descriptor(pinned: path, .link))
    }

    /// Pins the link at `path`. The program then stays attached without a process until the path is removed.
    public func pin(_ path: String) throws {
        try descriptor.pin(path)
    }

    /// Replaces the attached program. No packet passes in between. ENOLINK when the link is defunct.
    public func update(_ program: BPFProgram) throws {
        try check("bpf_link_update \(id) \(program.name)") {
            bpf_link_update(descriptor.number, program.descriptor.number, nil)
        }
    }

    /// Detaches the program now, even if the link is pinned or open elsewhere. The link is defunct then.
    public func detach() throws {
        try check("bpf_link_detach \(id)") { bpf_link_detach(descriptor.number) }
    }

    /// Whether the interface is gone, or the program was detached: such a link never works again.
    public var isDefunct: Bool {
        get throws { try information.interfaceIndex == 0 }
    }

    public var information: Information {
        get throws {
            let info = try descriptor.information(bpf_link_info())
            return Information(interfaceIndex: info.xdp.ifindex, programID: info.prog_id)
        }
    }
}
