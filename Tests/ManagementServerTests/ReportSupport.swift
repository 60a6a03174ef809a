import Access
import ControlFailures
import DNSServer
import Fixtures
import Foundation
import Glibc
import IPNetworks
import Logging
import ManagementServer
import ManagementTypes
import ServiceLifecycle
import Synchronization
import Telemetry

/// Remembers who said what, and knows one node.
final class Scribe: ReportHandling {
    let said = Mutex<[String]>([])

    func state(
        _ statement: NodeStatement, of id: String, as caller: Caller
    ) async throws(ControlFailure) -> StatementReceipt {
        guard id == "fra 1" else { throw ControlFailure(.notFound, "there is no node \(id)") }
        said.withLock { $0.append("\(caller) \(statement.load ?? -1)") }
        return StatementReceipt(node: id, state: .up, authority: "checks", validSeconds: 60, ignored: ["peers.x"])
    }

    func take(
        _ verdicts: ObserverVerdicts, from observer: String, as caller: Caller
    ) async throws(ControlFailure) -> VerdictsReceipt {
        said.withLock { $0.append("\(caller) \(verdicts.verdicts.count)") }
        return VerdictsReceipt(observer: observer, counted: 1, isHeard: true, validSeconds: 30)
    }
}

/// A server on loopback with one token of each kind.
final class Listening: Sendable {
    static let token = "0123456789abcdef0123456789abcdef"

    let scribe = Scribe()
    let server: ReportServer
    let tokens: TokenFile
    let files: CertificateFiles
    /// What the token file has complained about.
    let refusals = LoggedErrors()

    init(_ limits: ReportServer.Limits = .init(), isEncrypted: Bool = false) throws {
        files = try CertificateFiles("reports.example.com")
        let text = """
            \(BearerTokens.line("node", "fra1", token: Self.token))
            \(BearerTokens.line("observer", "ams", token: Self.token + "o"))
            """
        tokens = try TokenFile(
            path: try files.write("tokens", text), logger: refusals.logger,
            pollInterval: .milliseconds(20))
        let certificate =
            isEncrypted
            ? try TLSCertificate(
                certificatePath: files.certificate, keyPath: files.key,
                for: .init(section: "health.reports", protocols: ["http/1.1"]),
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }) : nil
        server = try ReportServer(
            endpoints: [SocketEndpoint(address: .v4(0x7f00_0001), port: 0)], certificate: certificate,
            tokens: tokens, handler: FakeDaemon(scribe: scribe), logger: silentLogger, limits: limits)
    }

    /// Another server at the same address, which nobody runs.
    func idleSuccessor() throws -> ReportServer {
        try ReportServer(
            endpoints: server.endpoints, certificate: nil, tokens: tokens, handler: FakeDaemon(), logger: silentLogger,
            handover: true)
    }

    var port: UInt16 { server.endpoints[0].port }

    /// Connections that the server closed for a cause.
    func closed(_ cause: String) -> Double? {
        server.metrics.first { $0.name == "nearcast_report_connections_closed_total" && $0.labels["cause"] == cause }?
            .value
    }

    /// Open connections.
    var open: Double? { server.metrics.first { $0.name == "nearcast_report_connections" }?.value }

    /// Runs the server while `body` runs, then ends it gracefully.
    func run<Result: Sendable>(_ body: @Sendable (Listening) async throws -> Result) async throws -> Result {
        let group = ServiceGroup(
            services: [server, tokens], logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        return try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            let result: Swift.Result<Result, any Error>
            do { result = .success(try await body(self)) } catch { result = .failure(error) }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
            return try result.get()
        }
    }

    /// All that comes back for some bytes, sent in pieces, until the other end closes or so long nothing comes.
    func exchange(_ pieces: [String], pause: UInt32 = 0, patience: Int = 30) async throws -> String {
        let port = port
        return try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(with: Swift.Result { try Self.exchange(pieces, port, pause, patience) })
            }
        }
    }

    private static func exchange(_ pieces: [String], _ port: UInt16, _ pause: UInt32, _ patience: Int) throws -> String
    {
        let descriptor = try connected(port, patience: patience)
        defer { close(descriptor) }
        for piece in pieces {
            let bytes = Array(piece.utf8)
            guard send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else { break }
            if pause > 0 { usleep(pause) }
        }
        return received(descriptor)
    }

    /// A connection to the server, of which receives wait so many seconds. Closing it is the caller's duty.
    static func connected(_ port: UInt16, patience: Int) throws -> CInt {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
        let connected = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else {
            defer { close(descriptor) }
            throw POSIXError(.ECONNREFUSED)
        }
        var limit = timeval(tv_sec: patience, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        return descriptor
    }

    /// All that comes until the other end closes; "(open)" at the end when it does not.
    static func received(_ descriptor: CInt) -> String {
        var answer: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else {
                return String(decoding: answer, as: UTF8.self) + (count < 0 && errno == EAGAIN ? "\n(open)" : "")
            }
            answer += buffer[..<count]
        }
    }

    static func request(
        _ path: String = "/v1/nodes/fra%201/report", _ body: String = "{}", token: String? = Listening.token,
        method: String = "POST", length: Int? = nil, closes: Bool = true
    ) -> String {
        let authorization = token.map { "Authorization: Bearer \($0)\r\n" } ?? ""
        return "\(method) \(path) HTTP/1.1\r\nHost: x\r\n\(authorization)\(closes ? "Connection: close\r\n" : "")"
            + "Content-Length: \(length ?? body.utf8.count)\r\n\r\n\(body)"
    }
}
