import ControlFailures
import Glibc
import Hummingbird
import NIOCore

/// A request on the control socket, with the connection that it came by.
struct SocketRequestContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    private let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
    }

    /// The process that made the connection, as the kernel says; 0: of another PID namespace.
    ///
    /// - Throws: `internal` when the kernel does not say.
    func peerProcess() async throws(ControlFailure) -> Int32 {
        do { return try await PeerCredentials.of(channel).get().process } catch {
            throw ControlFailure(.internal, "the kernel does not say who asks: \(error)")
        }
    }
}

/// Who made a connection, as the kernel says: `struct ucred` of unix(7), three numbers of four bytes.
struct PeerCredentials: Sendable {
    var process: Int32
    var user: UInt32
    var group: UInt32

    /// Of a connection that was accepted.
    static func of(_ channel: any Channel) -> EventLoopFuture<PeerCredentials> {
        guard let socket = channel as? any SocketOptionProvider else {
            return channel.eventLoop.makeFailedFuture(ChannelError.operationUnsupported)
        }
        // As unsafe as its type is wrong: the kernel writes no more than the type's size.
        return socket.unsafeGetSocketOption(level: .socket, name: NIOBSDSocket.Option(rawValue: SO_PEERCRED))
    }
}
