import Glibc
import LinuxSupport
import NIOCore

extension PeerCredentials {
    /// The process that made an accepted connection.
    static func of(_ channel: any Channel) -> EventLoopFuture<PeerCredentials> {
        guard let socket = channel as? any SocketOptionProvider else {
            return channel.eventLoop.makeFailedFuture(ChannelError.operationUnsupported)
        }
        // Safe, because the type has the layout of `struct ucred`, and the kernel writes no more than the type's size.
        return socket.unsafeGetSocketOption(level: .socket, name: NIOBSDSocket.Option(rawValue: SO_PEERCRED))
    }
}
