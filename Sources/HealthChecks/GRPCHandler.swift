import Health
import IPNetworks
import NIOCore
import NIOHPACK
import NIOHTTP2

/// One call of `grpc.health.v1.Health/Check` over a stream of HTTP/2.
///
/// The two messages have one field each, so they are read and written here: field 1 of the request is the service's name,
/// field 1 of the response is its state; 1 means SERVING.
final class GRPCHandler: ProbeHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    let probe: ChannelProbe
    private let grpc: GRPCProbe
    private var body: [UInt8] = []

    private init(_ grpc: GRPCProbe, _ probe: ChannelProbe) {
        self.grpc = grpc
        self.probe = probe
    }

    /// Makes a connection one of HTTP/2, and opens the stream of the call.
    static func add(_ grpc: GRPCProbe, _ probe: ChannelProbe, to channel: any Channel) throws {
        let streams = HTTP2StreamMultiplexer(mode: .client, channel: channel, inboundStreamInitializer: nil)
        try channel.pipeline.syncOperations.addHandlers([
            NIOHTTP2Handler(mode: .client), streams, ConnectionEnd(probe),
        ])
        streams.createStreamChannel(promise: nil) { stream in
            stream.eventLoop.makeCompletedFuture {
                try stream.pipeline.syncOperations.addHandler(GRPCHandler(grpc, probe))
            }
        }
    }

    func channelActive(context: ChannelHandlerContext) {
        let headers: HPACKHeaders = [
            ":method": "POST", ":scheme": grpc.tls == nil ? "http" : "https",
            ":path": "/grpc.health.v1.Health/Check",
            ":authority": grpc.host.map { "\($0):\(grpc.port)" } ?? probe.check.target.at(grpc.port),
            "content-type": "application/grpc", "te": "trailers", "user-agent": HTTPProbe.agent,
        ]
        context.write(wrapOutboundOut(.headers(.init(headers: headers))), promise: nil)
        let data = IOData.byteBuffer(ByteBuffer(bytes: Self.request(grpc.service)))
        context.writeAndFlush(wrapOutboundOut(.data(.init(data: data, endStream: true))), promise: nil)
    }

    /// A message without compression: its length, then field 1 with the name.
    private static func request(_ service: String) -> [UInt8] {
        let name = Array(service.utf8)
        // A name of up to 127 bytes has a length of one byte.
        let message = name.isEmpty ? [] : [0x0a, UInt8(name.count)] + name
        return [0, 0, 0, 0, UInt8(message.count)] + message
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .headers(let headers): take(headers.headers)
        case .data(let data):
            if case .byteBuffer(let bytes) = data.data { body += bytes.readableBytesView }
            if body.count > 1_024 { probe.finish(.failed("the answer is too long for a health check")) }
        case .rstStream(let code): probe.finish(.failed("the server ended the call: \(code)"))
        default: break
        }
    }

    /// The header, or the trailer with the status of the call.
    private func take(_ headers: HPACKHeaders) {
        if let status = headers.first(name: ":status"), status != "200" {
            return probe.finish(.failed("HTTP status \(status)"))
        }
        guard let status = headers.first(name: "grpc-status") else { return }
        guard status == "0" else {
            let message = headers.first(name: "grpc-message") ?? ""
            let text = message.isEmpty ? "" : ": \(message.prefix(80))"
            return probe.finish(.failed("gRPC status \(status)\(text)"))
        }
        switch Self.state(body) {
        case 1: probe.finish(.passed("serving"))
        case let state?:
            let names = ["unknown", "serving", "not serving", "service unknown"]
            probe.finish(.failed(state < names.count ? names[state] : "state \(state)"))
        case nil: probe.finish(.failed("the answer is no health message"))
        }
    }

    /// The state in a message; 0 where the field is left out.
    private static func state(_ body: [UInt8]) -> Int? {
        guard body.count >= 5, body[0] == 0 else { return nil }
        let message = body[5...]
        guard message.count == Int(body[4]), body[1...3].allSatisfy({ $0 == 0 }) else { return nil }
        if message.isEmpty { return 0 }
        guard message.count == 2, message.first == 0x08, let state = message.last, state < 0x80 else { return nil }
        return Int(state)
    }
}

/// Ends the probe with its connection, whatever became of the stream.
private final class ConnectionEnd: ProbeHandler {
    typealias InboundIn = HTTP2Frame

    let probe: ChannelProbe

    init(_ probe: ChannelProbe) { self.probe = probe }
}
