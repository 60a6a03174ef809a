public import IPNetworks

/// `lookup`: the recursive servers that are asked for the addresses of outside hosts.
public struct LookupSettings: Hashable, Sendable {
    /// In the order in which they are asked, at most 3. Empty: those of /etc/resolv.conf.
    public let servers: [SocketEndpoint]
    public let mark: DocumentLocation
}
