/// What a host provides for the fast path.
public struct HostFacts: Sendable, Equatable {
    /// As printed by `uname -r`.
    public var kernel: String
    /// Why this process cannot load programs. Nil when it can.
    public var obstacle: String?
    /// Whether there is a BPF file system at the place for pins.
    public var hasBPFFileSystem: Bool
    public var processors: Int
    /// The users of port 53.
    public var listeners: [Listener]
    public var interfaces: [InterfaceFacts]

    public init(
        kernel: String, obstacle: String? = nil, hasBPFFileSystem: Bool = true, processors: Int,
        listeners: [Listener] = [], interfaces: [InterfaceFacts] = []
    ) {
        self.kernel = kernel
        self.obstacle = obstacle
        self.hasBPFFileSystem = hasBPFFileSystem
        self.processors = processors
        self.listeners = listeners
        self.interfaces = interfaces
    }
}

/// A socket at port 53.
public struct Listener: Sendable, Hashable {
    /// `udp` or `tcp`, with suffix 6 for IPv6.
    public var transport: String
    /// Name and id of a process, such as `unbound (812)`. Nil when it is not visible.
    public var process: String?

    public init(transport: String, process: String?) {
        self.transport = transport
        self.process = process
    }
}

/// Properties and settings of an interface. Nil: not reported by the driver.
public struct InterfaceFacts: Sendable, Equatable {
    public enum Mode: String, Sendable { case native, generic }

    public var name: String
    /// Whether the interface exists. If not, nothing else is known of it.
    public var exists = true
    public var driver = ""
    public var isUp = true
    /// Bytes.
    public var mtu = 1_500
    /// Combined queues, in use and maximum.
    public var channels: Int?
    public var mostChannels: Int?
    /// Slots of a receive ring.
    public var ring: Int?
    public var longestRing: Int?
    public var mergesInHardware: Bool?
    public var mergesInSoftware: Bool?
    public var stripsTags: Bool?
    public var insertsTags: Bool?
    /// The mode of the XDP program attached now.
    public var mode: Mode?
    /// Replies of XDP programs that the driver could not send since it was loaded.
    public var unsentReplies: UInt64?

    public init(name: String) { self.name = name }
}
