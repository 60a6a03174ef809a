/// The process at the other end of a Unix socket, as identified by the kernel (SO_PEERCRED): the layout of `struct
/// ucred` in unix(7), three numbers of four bytes.
public struct PeerCredentials: Hashable, Sendable {
    /// 0 for a process of another PID namespace.
    public let process: Int32
    public let user: UInt32
    public let group: UInt32
}
