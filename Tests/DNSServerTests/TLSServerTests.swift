import DNSServer
import Fixtures
import Foundation
import IPNetworks
import Logging
import ServiceLifecycle
import Synchronization
import Testing

@Suite struct TLSServerTests {
    private static let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })

    private func certificate(_ files: CertificateFiles, _ logger: Logger = logger) throws -> TLSCertificate {
        try TLSCertificate(
            certificatePath: files.certificate, keyPath: files.key, logger: logger,
            pollInterval: .milliseconds(50))
    }

    private func server(
        _ certificate: TLSCertificate, at endpoint: SocketEndpoint = loopback, limits: StreamLimits = .init()
    ) throws -> TCPServer {
        try TCPServer(
            endpoints: [endpoint], answering: ScriptedAnswering(), limits: limits, certificate: certificate)
    }

    @Test("queries in one segment are answered over TLS, on either family", arguments: loopbacks)
    func answers(endpoint: SocketEndpoint) async throws {
        let server = try server(try certificate(CertificateFiles()), at: endpoint)
        let bound = server.endpoints[0]
        let replies = try await running(server) {
            let client = try TLSClient(to: bound)
            try client.send(framed([ScriptedAnswering.who]) + framed(echo("two")) + framed(sized(65_535)))
            return (0..<3).map { _ in client.receiveMessage() }
        }
        #expect(replies[0] == Array("\(endpoint.address) tls".utf8))
        #expect(replies[1] == echo("two"))
        #expect(replies[2]?.count == 65_535)
    }

    @Test("a client that ends its side gets every reply")
    func halfClose() async throws {
        let server = try server(try certificate(CertificateFiles()))
        let bound = server.endpoints[0]
        let outcome = try await running(server) {
            // With -no_ign_eof the command says farewell at the end of its input, and would not wait for replies.
            let client = try TLSClient(to: bound, ["-ign_eof"])
            try client.send((0..<20).flatMap { _ in framed(sized(60_000)) })
            try client.finishSending()
            return ((0..<20).map { _ in client.receiveMessage()?.count }, client)
        }
        #expect(outcome.0 == [Int?](repeating: 60_000, count: 20))
    }

    @Test(
        "TLS 1.2 and 1.3 are supported, older versions are not",
        arguments: [("-tls1_3", "TLSv1.3"), ("-tls1_2", "TLSv1.2"), ("-tls1_1", nil), ("-tls1", nil)])
    func versions(option: String, version: String?) async throws {
        let server = try server(try certificate(CertificateFiles()))
        let bound = server.endpoints[0]
        let text = try await running(server) { describeTLS(bound, [option, "-cipher", "ALL:@SECLEVEL=0"]) }
        if let version {
            #expect(text.contains(version))
            #expect(text.contains("ALPN protocol: dot"))
        } else {
            #expect(text.contains("Cipher is (NONE)"))
        }
    }

    @Test("bytes that are not TLS close the connection, and harm no other")
    func garbage() async throws {
        let server = try server(try certificate(CertificateFiles()))
        let bound = server.endpoints[0]
        let outcome = try await running(server) {
            let plain = try TestSocket(.tcp, to: bound)
            try plain.sendMessage(echo("not encrypted"))
            var seen: [UInt8] = []
            while let more = try plain.receive(), !more.isEmpty { seen += more }
            return (seen, try TLSClient(to: bound).ask(echo("encrypted")))
        }
        #expect(!outcome.0.contains(ScriptedAnswering.echo))
        #expect(outcome.1 == echo("encrypted"))
    }

    @Test("a client that never answers close_notify loses its connection")
    func noFarewell() async throws {
        let server = try server(try certificate(CertificateFiles()), limits: .init(idleSeconds: 0.3))
        let bound = server.endpoints[0]
        let isFree = try await running(server) {
            let client = try TLSClient(to: bound)
            _ = try client.ask(echo("q"))
            client.pause()
            return (eventually { server.counters.open == 0 }, client)
        }
        #expect(isFree.0)
        #expect(server.counters.closed["idle"] == 1)
    }

    @Test("a handshake that stalls is closed at the idle timeout")
    func slowHandshake() async throws {
        let server = try server(try certificate(CertificateFiles()), limits: .init(idleSeconds: 0.3))
        let bound = server.endpoints[0]
        let outcome = try await running(server) {
            let start = ContinuousClock.now
            let client = try TestSocket(.tcp, to: bound)
            // The first bytes of a ClientHello's record.
            try client.send([22, 3, 1, 2, 0])
            var last = try client.receive()
            while last?.isEmpty == false { last = try client.receive() }
            return (last == [], ContinuousClock.now - start)
        }
        #expect(outcome.0, "closed")
        #expect(outcome.1 >= .milliseconds(300))
    }

    @Test("the connection limits apply to TLS")
    func limits() async throws {
        let server = try server(try certificate(CertificateFiles()), limits: .init(connectionsPerClient: 1))
        let bound = server.endpoints[0]
        let outcome = try await running(server) {
            let first = try TLSClient(to: bound)
            let reply = try first.ask(echo("first"))
            let second = try TLSClient(to: bound)
            return (reply, try second.ask(echo("second")), first.isClosed())
        }
        #expect(outcome.0 == echo("first"))
        #expect(outcome.1 == echo("second"))
        #expect(outcome.2)
    }

    @Test("shutdown closes every connection, however long its timeout", .timeLimit(.minutes(2)))
    func shutdown() async throws {
        let server = try server(try certificate(CertificateFiles()), limits: .init(idleSeconds: 600))
        let bound = server.endpoints[0]
        let clients = try await running(server) {
            let clients = try (0..<3).map { _ in try TLSClient(to: bound) }
            return try clients.map { client in
                _ = try client.ask(echo("q"))
                return client
            }
        }
        #expect(server.counters.open == 0)
        withExtendedLifetime(clients) {}
    }

    @Test("a certificate is replaced under load, no query is lost, and open connections continue")
    func rotation() async throws {
        let files = try CertificateFiles("one")
        let refusals = LoggedErrors()
        let certificate = try certificate(files, refusals.logger)
        let server = try server(certificate, limits: .init(idleSeconds: 600))
        let bound = server.endpoints[0]
        let names = try await running(Together(services: [server, certificate])) {
            let early = try TLSClient(to: bound)
            #expect(try early.ask(echo("early")) == echo("early"))
            let (stop, asked, failed) = (Shared(), Shared(), Shared())
            let load = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                while stop.value.load(ordering: .relaxed) == 0 {
                    asked.value.add(1, ordering: .relaxed)
                    let reply = try? TLSClient(to: bound).ask(echo("load"))
                    if reply != echo("load") { failed.value.add(1, ordering: .relaxed) }
                    // Every client is a process: without a pause those that look at the certificate starve.
                    usleep(20_000)
                }
                load.signal()
            }
            var names = [shownName(bound)]
            for name in ["two", "three"] {
                try files.issue(name)
                names.append(awaitName(name, at: bound))
            }
            // A damaged key: certificate not reloaded, previous one stays in use, and files that are good again are taken up.
            _ = try files.write("key.pem", "no key")
            #expect(eventually { refusals.count == 1 })
            names.append(shownName(bound))
            try files.issue("four")
            names.append(awaitName("four", at: bound))
            stop.value.store(1, ordering: .relaxed)
            load.wait()
            #expect(asked.value.load(ordering: .relaxed) > 5)
            #expect(failed.value.load(ordering: .relaxed) == 0)
            #expect(try early.ask(echo("late")) == echo("late"))
            return names
        }
        #expect(names == ["one", "two", "three", "three", "four"])
    }
}

/// The name of the certificate that is shown once it is `wanted`, or else in the end. Each look is a process.
private func awaitName(_ wanted: String, at endpoint: SocketEndpoint) -> String? {
    var shown: String?
    eventually {
        shown = shownName(endpoint)
        return shown == wanted
    }
    return shown
}

/// A number that threads share.
private final class Shared: Sendable {
    let value = Atomic<Int>(0)
}

/// Several services as one.
private struct Together: Service {
    let services: [any Service]

    func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for service in services { tasks.addTask { try await service.run() } }
            try await tasks.waitForAll()
        }
    }
}
