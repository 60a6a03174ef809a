import Glibc
import Health
import IPNetworks
import NIOCore
import NIOPosix

/// Sends echo requests over one raw socket for each family and source, and tells replies apart by their sequence number
/// (RFC 792; RFC 4443, section 4).
///
/// `@unchecked Sendable`: it is touched on its event loop only.
final class Pinger: @unchecked Sendable {
    private struct Route: Hashable {
        let family: IPFamily
        let source: IPAddress?
    }

    private struct Waiting {
        let attempt: Attempt
        let target: IPAddress
        let payload: [UInt8]
    }

    private let loop: any EventLoop
    private let identifier = UInt16.random(in: .min ... .max)
    private var sockets: [Route: EventLoopFuture<any Channel>] = [:]
    private var waiting: [UInt16: Waiting] = [:]
    private var sequence: UInt16 = 0

    init(on loop: any EventLoop) { self.loop = loop }

    /// Sends a request for `attempt`.
    ///
    /// - Returns: what forgets it; to be called when the attempt is over.
    func start(_ check: Check, _ attempt: Attempt) -> () -> Void {
        repeat { sequence &+= 1 } while waiting[sequence] != nil
        let (number, target) = (sequence, check.target)
        // Nobody who has not seen it can answer in the target's name.
        let payload = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
        waiting[number] = Waiting(attempt: attempt, target: target, payload: payload)
        let request = request(number, payload, target.family)
        socket(Route(family: target.family, source: check.source)).flatMapThrowing { channel in
            let envelope = AddressedEnvelope(
                remoteAddress: try SocketAddress(target), data: ByteBuffer(bytes: request))
            channel.writeAndFlush(envelope).whenFailure { error in
                // Closed by the failure of another's request: of this target nothing is known.
                guard error is ChannelError else { return attempt.fail(error) }
                attempt.finish(.unasked("this machine's socket was closed"))
            }
        }.whenFailure { attempt.fail($0) }
        return { self.waiting[number] = nil }
    }

    func close() {
        for socket in sockets.values { socket.whenSuccess { $0.close(promise: nil) } }
        sockets = [:]
    }

    private func socket(_ route: Route) -> EventLoopFuture<any Channel> {
        if let socket = sockets[route] { return socket }
        let socket = open(route)
        sockets[route] = socket
        // What could not be opened is tried again with the next request.
        socket.whenFailure { _ in self.sockets[route] = nil }
        // A request that cannot be sent may close it, as one to where no route leads does.
        socket.whenSuccess { channel in
            channel.closeFuture.whenComplete { _ in
                if self.sockets[route] === socket { self.sockets[route] = nil }
            }
        }
        return socket
    }

    private func open(_ route: Route) -> EventLoopFuture<any Channel> {
        let handle: @Sendable (any Channel) -> EventLoopFuture<Void> = { channel in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(EchoReplies(self, route.family))
            }
        }
        guard route.family == .v6 else {
            return NIORawSocketBootstrap(group: loop).channelInitializer(handle)
                .bind(host: "\(route.source ?? .v4(0))", ipProtocol: .icmp)
        }
        // The bootstrap for raw sockets sets IPV6_V6ONLY, which the kernel refuses for them.
        do {
            return DatagramBootstrap(group: loop).channelInitializer(handle)
                .withBoundSocket(try Self.rawSocket(from: route.source))
        } catch { return loop.makeFailedFuture(error) }
    }

    /// A raw socket for ICMPv6 (RFC 3542).
    private static func rawSocket(from source: IPAddress?) throws -> CInt {
        let flags = Int32(SOCK_RAW.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let descriptor = Glibc.socket(AF_INET6, flags, CInt(IPPROTO_ICMPV6))
        guard descriptor >= 0 else { throw IOError(errnoCode: errno, reason: "socket") }
        guard let source else { return descriptor }
        let result = try SocketAddress(source).withSockAddr { bind(descriptor, $0, socklen_t($1)) }
        guard result == 0 else {
            let code = errno
            Glibc.close(descriptor)
            throw IOError(errnoCode: code, reason: "bind")
        }
        return descriptor
    }

    private func request(_ number: UInt16, _ payload: [UInt8], _ family: IPFamily) -> [UInt8] {
        var message: [UInt8] = [
            family == .v4 ? 8 : 128, 0, 0, 0, UInt8(identifier >> 8), UInt8(identifier & 255), UInt8(number >> 8),
            UInt8(number & 255),
        ]
        message += payload
        // For IPv6 the kernel does it, since addresses are part of the sum (RFC 3542, section 3.1).
        guard family == .v4 else { return message }
        var sum: UInt32 = 0
        for index in stride(from: 0, to: message.count, by: 2) {
            sum += UInt32(message[index]) << 8 | UInt32(message[index + 1])
        }
        sum = sum & 0xffff + sum >> 16
        sum = ~(sum & 0xffff + sum >> 16)
        message[2] = UInt8(sum >> 8 & 255)
        message[3] = UInt8(sum & 255)
        return message
    }

    /// - Parameter packet: with its header for IPv4, the message alone for IPv6 (raw(7)).
    fileprivate func take(_ packet: [UInt8], from sender: IPAddress, _ family: IPFamily) {
        let start = family == .v4 ? Int(packet.first ?? 0) % 16 * 4 : 0
        guard packet.count >= start + 8 else { return }
        let message = packet[start...]
        func word(_ offset: Int) -> UInt16 {
            UInt16(message[start + offset]) << 8 | UInt16(message[start + offset + 1])
        }
        guard message[start] == (family == .v4 ? 0 : 129), word(4) == identifier, let waiting = waiting[word(6)],
            waiting.target == sender, message.dropFirst(8).elementsEqual(waiting.payload)
        else { return }
        waiting.attempt.finish(.passed("answered"))
    }
}

private final class EchoReplies: ChannelInboundHandler {
    typealias InboundIn = AddressedEnvelope<ByteBuffer>

    private let pinger: Pinger
    private let family: IPFamily

    init(_ pinger: Pinger, _ family: IPFamily) {
        self.pinger = pinger
        self.family = family
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let envelope = unwrapInboundIn(data)
        guard let text = envelope.remoteAddress.ipAddress, let sender = IPAddress(text) else { return }
        pinger.take(Array(envelope.data.readableBytesView), from: sender, family)
    }

    /// Errors of one target must not take the others' socket: whoever waits has a limit.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {}
}
