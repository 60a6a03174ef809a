import ControlFailures
import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix

/// One request and its response, on a connection of its own and with one deadline for both.
///
/// It has an event loop of its own, and ends it: a daemon makes such requests only during a takeover, and should keep no
/// descriptors for them.
struct Exchange {
    let path: String
    let timeoutSeconds: Double

    func perform(
        _ method: String, _ target: String, _ body: [UInt8]
    ) throws(ControlFailure) -> ResponseCollector.Response {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        // An error here leaves a thread behind, and changes nothing about the response.
        defer { try? group.syncShutdownGracefully() }
        let loop = group.next()
        let response = loop.makePromise(of: ResponseCollector.Response.self)
        loop.scheduleTask(in: .nanoseconds(Int64(timeoutSeconds * 1e9))) { response.fail(DeadlinePassed()) }
        connect(on: loop, response).whenComplete { result in
            switch result {
            case .success(let channel): Self.write(method, target, body, to: channel)
            case .failure(let error): response.fail(ConnectFailure(error: error))
            }
        }
        do { return try response.futureResult.wait() } catch { throw failure(error) }
    }

    private func connect(
        on loop: any EventLoop, _ response: EventLoopPromise<ResponseCollector.Response>
    ) -> EventLoopFuture<any Channel> {
        ClientBootstrap(group: loop)
            .connectTimeout(.nanoseconds(Int64(timeoutSeconds * 1e9)))
            // A server may answer before it has read the request. The decoder takes no response before there is one.
            .channelOption(.autoRead, value: false)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHTTPClientHandlers()
                    try channel.pipeline.syncOperations.addHandler(ResponseCollector(response))
                }
            }
            .connect(unixDomainSocketPath: path)
            .flatMapError { error in
                guard (error as? IOError)?.errnoCode == EAGAIN else { return loop.makeFailedFuture(error) }
                // The socket's queue is full. A blocking connect(2) would wait here; the deadline ends both.
                return loop.flatScheduleTask(in: .milliseconds(5)) { connect(on: loop, response) }.futureResult
            }
    }

    private static func write(_ method: String, _ target: String, _ body: [UInt8], to channel: any Channel) {
        var headers: HTTPHeaders = ["Host": "localhost", "Connection": "close"]
        if !body.isEmpty { headers.add(name: "Content-Type", value: "application/json") }
        if !body.isEmpty || method != "GET" { headers.add(name: "Content-Length", value: String(body.count)) }
        let head = HTTPRequestHead(
            version: .http1_1, method: HTTPMethod(rawValue: method), uri: target, headers: headers)
        channel.write(HTTPClientRequestPart.head(head), promise: nil)
        channel.setOption(.autoRead, value: true).whenFailure { _ in channel.close(promise: nil) }
        channel.write(HTTPClientRequestPart.body(.byteBuffer(ByteBuffer(bytes: body))), promise: nil)
        // A write that fails is not the end: the server may have refused the body early, and its reason is read next.
        channel.writeAndFlush(HTTPClientRequestPart.end(nil), promise: nil)
    }
}

/// The response did not arrive in time.
private struct DeadlinePassed: Error {}

/// There was no connection.
private struct ConnectFailure: Error {
    let error: any Error
}

// MARK: - Failures in the user's words

extension Exchange {
    private func failure(_ error: any Error) -> ControlFailure {
        switch error {
        case is DeadlinePassed, ChannelError.connectTimeout:
            ControlFailure(
                .unavailable, "\(path): no answer within \(seconds)",
                remedy: "look at the log of nearcastd; it may still carry out the request")
        case is ResponseCollector.Cut, HTTPParserError.invalidEOFState:
            cut
        case let error as IOError where [ECONNRESET, EPIPE].contains(error.errnoCode):
            cut
        case let error as ResponseCollector.TooLarge:
            ControlFailure(
                .unavailable, "\(path): the answer is too large: \(error)",
                remedy: "ask for less, for example with --limit")
        case let connect as ConnectFailure:
            unreachable(connect.error)
        case let error as IOError:
            ControlFailure(.unavailable, "\(path): \(Self.text(error.errnoCode))")
        default:
            ControlFailure(
                .unavailable, "\(path): the answer is not an HTTP response: \(error)", remedy: Self.socketRemedy)
        }
    }

    /// The daemon ended, or closed the connection, in the middle of its answer.
    private var cut: ControlFailure {
        ControlFailure(
            .unavailable, "\(path): the daemon closed the connection before its answer was complete",
            remedy: "look at the log of nearcastd; it may have carried out the request")
    }

    /// `10 seconds`, `0.3 seconds`.
    private var seconds: String {
        let whole = timeoutSeconds.rounded()
        return (whole == timeoutSeconds && whole < 1e9 ? "\(Int(whole))" : "\(timeoutSeconds)") + " seconds"
    }

    /// What to do when something else than nearcastd seems to answer.
    static let socketRemedy = "check that this path is the control socket of nearcastd"

    private func unreachable(_ error: any Error) -> ControlFailure {
        switch error {
        case SocketAddressError.unixDomainSocketPathTooLong:
            return ControlFailure(.unavailable, "\(path): \(Self.text(ENAMETOOLONG))")
        case let error as IOError where [ENOENT, ECONNREFUSED].contains(error.errnoCode):
            return ControlFailure(
                .unavailable, "no daemon at \(path): is nearcastd running?",
                remedy: "start it with systemctl start nearcastd, or give the control path of its configuration")
        case let error as IOError where [EACCES, EPERM].contains(error.errnoCode):
            return ControlFailure(
                .unavailable, "no permission to use \(path)",
                remedy: "use sudo, or become a member of the socket's group")
        default:
            return failure(error)
        }
    }

    private static func text(_ code: CInt) -> String { String(cString: strerror(code)) }
}
