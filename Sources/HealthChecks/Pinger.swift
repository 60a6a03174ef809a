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
            channel.writeAndFlush(envelope).whenFailure { attempt.fail($0) }
        }.whenFailure { attempt.fail($0) }
        return { self.waiting[number] = nil }
    }

    func close() {
        for socket in sockets.values { socket.whenSuccess { $0.close(promise: nil) } }
        sockets = [:]
    }

    private func socket(_ route: Route) -> EventLoopFuture<any Channel> {
        if let socket = sockets[route] { return socket }
        let any: IPAddress = route.family == .v4 ? .v4(0) : .v6(0)
        let socket = NIORawSocketBootstrap(group: loop).channelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(EchoReplies(self, route.family))
            }
        }
        .bind(host: "\(route.source ?? any)", ipProtocol: route.family == .v4 ? .icmp : NIOIPProtocol(rawValue: 58))
        sockets[route] = socket
        // What could not be opened is tried again with the next request.
        socket.whenFailure { _ in self.sockets[route] = nil }
        return socket
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
