import Glibc
import NIOCore

/// Who made a connection, as the kernel says: `struct ucred` of unix(7), three numbers of four bytes.
struct PeerCredentials: Sendable {
    /// 0 for a process of another PID namespace.
    var process: Int32
    var user: UInt32
    var group: UInt32

    /// Of a connection that was accepted.
    static func of(_ channel: any Channel) -> EventLoopFuture<PeerCredentials> {
        guard let socket = channel as? any SocketOptionProvider else {
            return channel.eventLoop.makeFailedFuture(ChannelError.operationUnsupported)
        }
        // Unsafe only if the type is wrong: the kernel writes no more than the type's size.
        return socket.unsafeGetSocketOption(level: .socket, name: NIOBSDSocket.Option(rawValue: SO_PEERCRED))
    }
}
