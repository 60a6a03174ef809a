import Glibc
package import NIOCore

/// The first handler of a connection. It closes the connection at once, even if later handlers still wait for
/// something.
///
/// TLS would send close_notify first and wait for the client's, and the kernel would keep the connection in TIME_WAIT
/// for a minute. A connection that loses its place gets a reset instead.
package final class ConnectionDoor: ChannelOutboundHandler {
    package typealias OutboundIn = Never

    /// User event: close now.
    private struct Shut: Sendable {}

    package init() {}

    /// Closes a connection that has this handler. May be called on any thread.
    package static func shut(_ channel: any Channel) { channel.triggerUserOutboundEvent(Shut(), promise: nil) }

    package func triggerUserOutboundEvent(
        context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?
    ) {
        guard event is Shut else { return context.triggerUserOutboundEvent(event, promise: promise) }
        if let options = context.channel as? any SocketOptionProvider {
            // A socket that was closed meanwhile has no options, and needs none.
            _ = options.setSoLinger(linger(l_onoff: 1, l_linger: 0))
        }
        context.close(promise: promise)
    }
}
