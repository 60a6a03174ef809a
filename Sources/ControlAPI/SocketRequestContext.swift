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
        do {
            // SO_PEERCRED (unix(7)), whose first four bytes are the process id.
            let option = ChannelOptions.Types.SocketOption(level: .socket, name: .init(rawValue: 17))
            return Int32(truncatingIfNeeded: try await channel.getOption(option).get())
        } catch {
            throw ControlFailure(.internal, "the kernel does not say who asks: \(error)")
        }
    }
}
