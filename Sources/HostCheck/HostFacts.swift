/// What a host has of what the fast path needs.
public struct HostFacts: Sendable, Equatable {
    /// As `uname -r` says.
    public var kernel: String
    /// Why programs cannot be loaded by this process; nil when they can.
    public var obstacle: String?
    /// Whether a BPF file system is where pins go.
    public var hasBPFFileSystem: Bool
    public var processors: Int
    /// Who has port 53.
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
    /// `udp` or `tcp`, with 6 for IPv6.
    public var transport: String
    /// Name and number of a process, as `unbound (812)`; nil when it is not to be seen.
    public var process: String?

    public init(transport: String, process: String?) {
        self.transport = transport
        self.process = process
    }
}

/// What an interface is, and how it is set. Nil: the driver does not tell.
public struct InterfaceFacts: Sendable, Equatable {
    public enum Mode: String, Sendable { case native, generic }

    public var name: String
    /// Whether there is such an interface; of one that is missing nothing else is known.
    public var exists = true
    public var driver = ""
    public var isUp = true
    /// Bytes.
    public var mtu = 1_500
    /// Combined queues, in use and at most.
    public var channels: Int?
    public var mostChannels: Int?
    /// Slots of a receive ring.
    public var ring: Int?
    public var longestRing: Int?
    public var mergesInHardware: Bool?
    public var mergesInSoftware: Bool?
    public var stripsTags: Bool?
    public var insertsTags: Bool?
    /// Of the XDP program that is on it now.
    public var mode: Mode?

    public init(name: String) { self.name = name }
}
