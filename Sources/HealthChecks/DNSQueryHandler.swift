import DNSWire
import Health
import IPNetworks
import NIOCore
import NIOPosix

/// Sends one query over UDP and checks the response code.
final class DNSQueryHandler: ProbeHandler {
    typealias InboundIn = AddressedEnvelope<ByteBuffer>

    let probe: ChannelProbe
    private let dns: DNSProbe
    private let query: [UInt8]

    init(_ dns: DNSProbe, query: [UInt8], _ probe: ChannelProbe) {
        self.dns = dns
        self.query = query
        self.probe = probe
    }

    static func start(_ dns: DNSProbe, _ target: IPAddress, _ probe: ChannelProbe) {
        do {
            let (query, check) = (try query(dns), probe.check)
            let target = try SocketAddress(target, port: dns.port)
            let bootstrap = DatagramBootstrap(group: probe.loop).channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(DNSQueryHandler(dns, query: query, probe))
                }
            }
            let opening =
                try check.source.map { source in
                    bootstrap.bind(to: try SocketAddress(source)).flatMap { channel in
                        Self.closing(channel, unless: channel.connect(to: target))
                    }
                } ?? bootstrap.connect(to: target)
            probe.follow(
                opening.flatMap { channel in
                    Self.closing(channel, unless: channel.writeAndFlush(ByteBuffer(bytes: query)))
                })
        } catch { probe.fail(error) }
    }

    private static func closing(
        _ channel: any Channel, unless done: EventLoopFuture<Void>
    ) -> EventLoopFuture<any Channel> {
        done.flatMapErrorThrowing { error in
            channel.close(promise: nil)
            throw error
        }.map { channel }
    }

    /// RFC 1035, section 4.1: one question, recursion not desired.
    private static func query(_ dns: DNSProbe) throws -> [UInt8] {
        let id = UInt16.random(in: .min ... .max)
        let name = try DomainName(dns.name)
        return [UInt8(id >> 8), UInt8(id & 255), 0, 0, 0, 1, 0, 0, 0, 0, 0, 0] + name.wire
            + [UInt8(dns.type >> 8), UInt8(dns.type & 255), 0, 1]
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let reply = Array(unwrapInboundIn(data).data.readableBytesView)
        // A datagram that does not answer this query is ignored.
        guard reply.count >= query.count, reply[0..<2] == query[0..<2], reply[2] & 0x80 != 0,
            Self.folded(reply[12..<query.count]) == Self.folded(query[12...])
        else { return }
        let code = reply[3] & 15
        guard code == dns.responseCode else { return probe.finish(.failed("response code \(code)")) }
        guard let answer = dns.answer else { return probe.finish(.passed("response code \(code)")) }
        let found = DNSAnswers(reply, type: dns.type).texts
        guard !found.contains(answer) else { return probe.finish(.passed("the answer has \(answer)")) }
        let what = found.isEmpty ? "no record of the type" : found.prefix(3).joined(separator: ", ")
        probe.finish(.failed("the answer has \(what), not \(answer)"))
    }

    private static func folded(_ bytes: ArraySlice<UInt8>) -> [UInt8] { bytes.map(DomainName.lowercased) }
}
