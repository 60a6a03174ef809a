import DNSServer
import IPNetworks
import NIOCore
import NIOEmbedded
import NIOTLS
import Testing

/// How long a connection may do nothing, by the clock of its event loop, which these tests turn by hand.
@Suite struct TCPPatienceTests {
    /// A connection that is open for as long as its handler wants.
    private struct Connection {
        let channel = EmbeddedChannel()
        let connections: TCPConnections

        init(_ limits: StreamLimits, over transport: Transport = .tcp) throws {
            try self.init(TCPConnections(limits, isEncrypted: transport == .tls), over: transport)
        }

        /// - Parameter handler: between the door and the handler of messages, where TLS would be.
        init(
            _ connections: TCPConnections, over transport: Transport = .tcp, behind handler: (any ChannelHandler)? = nil
        ) throws {
            self.connections = connections
            let client = SocketEndpoint(address: .v4(0xC633_640A), port: 4_096)
            let ticket = try #require(connections.open.admit(from: client.address))
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandler(ConnectionDoor())
            if let handler { try pipeline.addHandler(handler) }
            try pipeline.addHandler(
                TCPConnectionHandler(
                    answering: ScriptedAnswering(), client: client, transport: transport, connections: connections,
                    ticket: ticket))
            channel.connect(to: try SocketAddress(ipAddress: "192.0.2.53", port: 53), promise: nil)
        }

        func send(_ bytes: [UInt8]) throws { try channel.writeInbound(ByteBuffer(bytes: bytes)) }

        /// Bytes of the replies that have left.
        func replies() throws -> [UInt8] {
            var bytes: [UInt8] = []
            while let piece = try channel.readOutbound(as: ByteBuffer.self) { bytes += Array(piece.readableBytesView) }
            return bytes
        }

        func wait(_ milliseconds: Int64) { channel.embeddedEventLoop.advanceTime(by: .milliseconds(milliseconds)) }

        var isOpen: Bool { channel.isActive }

        /// Connections closed for doing nothing.
        var idle: UInt64? { connections.counters.closed["idle"] }

        /// Expects the connection to be open for so long from now on, and no longer.
        func expectEnd(inMilliseconds time: Int64) {
            wait(time - 1)
            #expect(isOpen)
            wait(1)
            #expect(!isOpen)
            #expect(idle == 1)
        }
    }

    @Test("an idle connection is closed at its timeout, and not before")
    func silent() throws {
        try Connection(StreamLimits(idleSeconds: 10)).expectEnd(inMilliseconds: 10_000)
    }

    @Test("each query restarts the timeout")
    func query() throws {
        let connection = try Connection(StreamLimits(idleSeconds: 10))
        for number in 0..<3 {
            connection.wait(9_999)
            try connection.send(framed(echo("\(number)")))
            #expect(try connection.replies() == framed(echo("\(number)")))
        }
        connection.expectEnd(inMilliseconds: 10_000)
    }

    @Test(
        "single bytes, empty messages and half a query do not keep a connection open",
        arguments: [[9], [0, 0], [0], Array(framed(echo("half")).dropLast())] as [[UInt8]])
    func noQuery(bytes: [UInt8]) throws {
        let connection = try Connection(StreamLimits(idleSeconds: 10))
        // The bytes come several times at most, so that they never make a query.
        for _ in 0..<(bytes.count > 2 ? 1 : 4) {
            connection.wait(2_000)
            try connection.send(bytes)
            #expect(connection.isOpen)
        }
        connection.wait(bytes.count > 2 ? 6_000 : 0)
        connection.expectEnd(inMilliseconds: 2_000)
    }

    @Test(
        "a handshake has its own timeout, which is never longer than the idle timeout",
        arguments: [(10, 3, 3_000), (2, 3, 2_000)] as [(Double, Double, Int64)])
    func handshake(idleSeconds: Double, handshakeSeconds: Double, milliseconds: Int64) throws {
        var limits = StreamLimits(idleSeconds: idleSeconds)
        limits.handshakes.seconds = handshakeSeconds
        try Connection(limits, over: .tls).expectEnd(inMilliseconds: milliseconds)
    }

    @Test("after its handshake a connection has the same idle timeout as any other")
    func afterHandshake() throws {
        var limits = StreamLimits(idleSeconds: 10)
        limits.handshakes.seconds = 3
        let connection = try Connection(limits, over: .tls)
        connection.wait(2_999)
        connection.channel.pipeline.fireUserInboundEventTriggered(
            TLSUserEvent.handshakeCompleted(negotiatedProtocol: "dot"))
        connection.expectEnd(inMilliseconds: 7_001)
    }

    @Test("when all places are taken, idle connections keep their timeout")
    func crowded() throws {
        let connections = TCPConnections(StreamLimits(connections: 4, idleSeconds: 10), isEncrypted: false)
        let silent = try (0..<4).map { _ in try Connection(connections) }
        for connection in silent {
            connection.wait(9_999)
            #expect(connection.isOpen)
        }
        #expect(connections.counters.open == 4)
    }

    @Test("a connection whose client never answers close_notify is closed at its timeout")
    func noFarewell() throws {
        /// Waits for a farewell that does not come, as TLS does.
        final class Farewell: ChannelOutboundHandler {
            typealias OutboundIn = ByteBuffer

            func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {}
        }
        let connections = TCPConnections(StreamLimits(idleSeconds: 10), isEncrypted: false)
        try Connection(connections, behind: Farewell()).expectEnd(inMilliseconds: 10_000)
    }
}
