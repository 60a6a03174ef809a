import CLinux
public import LinuxSupport

/// The addresses of the calling thread's network namespace.
public struct HostAddresses: Sendable, Equatable {
    /// Link addresses (6 bytes) by interface index.
    public let links: [UInt32: [UInt8]]
    /// The host's IP addresses, and the broadcast addresses of its IPv4 networks: 16 bytes each in network order, IPv4
    /// as `::ffff:a.b.c.d`, in a fixed order and without duplicates. Loopback addresses are left out.
    public let addresses: [[UInt8]]

    /// Maximum entries read. A host with more keeps the first ones.
    private static let room = 4_096

    /// - Throws: when the kernel does not list them.
    public init() throws(SystemError) {
        var found = [linux_address](repeating: linux_address(), count: Self.room)
        let count = try callReturningErrno("getifaddrs") { linux_list_addresses(&found, Int32(Self.room)) }
        var (links, addresses): ([UInt32: [UInt8]], Set<[UInt8]>) = ([:], [])
        for entry in found.prefix(Int(count)) {
            let bytes = withUnsafeBytes(of: entry.bytes) { Array($0) }
            if entry.kind == LINUX_LINK {
                links[entry.interface] = Array(bytes.prefix(6))
            } else {
                addresses.insert(bytes)
            }
        }
        self.links = links
        self.addresses = addresses.sorted { $0.lexicographicallyPrecedes($1) }
    }
}
