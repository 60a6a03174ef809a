import ControlFailures
import DNSServer
import Fixtures
import Foundation
import Glibc
import IPNetworks
import Logging
import ManagementClient
import ManagementServer
import ManagementTypes
import ServiceLifecycle
import Synchronization
import Telemetry
import Testing

/// Counts how often its metrics are read. Large enough that a reply has many parts.
private final class Meter: MetricsHandling {
    let reads = Atomic<Int>(0)
    let isServing: Bool
    private let series: Int

    init(isServing: Bool = true, series: Int = 1) {
        self.isServing = isServing
        self.series = series
    }

    func metrics() async throws(ControlFailure) -> [MetricSample] {
        reads.wrappingAdd(1, ordering: .relaxed)
        guard isServing else { throw ControlFailure(.unavailable, "the daemon is not ready") }
        return (0..<series).map {
            MetricSample(
                "nearcast_zone_serial", .gauge, help: "Serial.", labels: ["zone": "zone\($0).example."], value: 7)
        }
    }
}

/// A listener for metrics on loopback.
private final class Scraped: Sendable {
    let server: MetricsServer
    let meter: Meter
    let files: CertificateFiles

    init(
        _ meter: Meter = Meter(), _ limits: MetricsServer.Limits = MetricsServer.standardLimits,
        isEncrypted: Bool = false
    )
        throws
    {
        self.meter = meter
        files = try CertificateFiles("metrics.example.com")
        let certificate =
            isEncrypted
            ? try TLSCertificate(
                certificatePath: files.certificate, keyPath: files.key, for: .http("metrics"), logger: silentLogger)
            : nil
        server = try MetricsServer(
            endpoints: [SocketEndpoint(address: .v4(0x7f00_0001), port: 0)], certificate: certificate, handler: meter,
            extra: { [MetricSample("nearcast_control_connections", .gauge, help: "Open.", value: 1)] }, limits: limits)
    }

    var port: UInt16 { server.endpoints[0].port }

    func value(_ name: String, _ labels: [String: String] = [:]) -> Double? {
        server.metrics.first { $0.name == name && $0.labels == labels }?.value
    }

    /// Runs the server while `body` runs, then ends it gracefully.
    func run<Result: Sendable>(_ body: @Sendable (Scraped) async throws -> Result) async throws -> Result {
        let group = ServiceGroup(services: [server], logger: silentLogger)
        return try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            let result: Swift.Result<Result, any Error>
            do { result = .success(try await body(self)) } catch { result = .failure(error) }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
            return try result.get()
        }
    }

    /// All that comes back for a request, until the server closes.
    func exchange(_ request: String) async throws -> String {
        let port = port
        return try await offPool {
            let descriptor = try Listening.connected(port, patience: 30)
            defer { close(descriptor) }
            let bytes = Array(request.utf8)
            _ = send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
            return Listening.received(descriptor)
        }
    }

    static func request(_ method: String = "GET", _ path: String = "/metrics", fields: String = "", closes: Bool = true)
        -> String
    {
        "\(method) \(path) HTTP/1.1\r\nHost: x\r\n\(fields)\(closes ? "Connection: close\r\n" : "")\r\n"
    }
}

@Suite("Listener for metrics") struct MetricsServerTests {
    @Test("GET and HEAD of /metrics and /healthz are served, also with a query")
    func served() async throws {
        try await Scraped().run { scraped in
            let full = try await scraped.exchange(Scraped.request("GET", "/metrics?debug=1"))
            #expect(full.hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(full.lowercased().contains("content-type: text/plain; version=0.0.4"))
            #expect(full.contains("nearcast_zone_serial{zone=\"zone0.example.\"} 7\n"))
            #expect(full.contains("nearcast_control_connections 1\n"))
            let head = try await scraped.exchange(Scraped.request("HEAD"))
            let length = try #require(full.components(separatedBy: "\r\n\r\n").last).utf8.count
            #expect(head.lowercased().contains("content-length: \(length)\r\n") && head.hasSuffix("\r\n\r\n"))
            #expect(try await scraped.exchange(Scraped.request("GET", "/healthz")).hasSuffix("\r\n\r\nok\n"))
            #expect(scraped.value("nearcast_scrapes_total", ["result": "served"]) == 3)
        }
    }

    @Test(
        "nothing else is: no route of the control socket, no method that changes, no body",
        arguments: [
            (Scraped.request("GET", "/v1/status"), "404"), (Scraped.request("POST", "/v1/reload"), "404"),
            (Scraped.request("PUT", "/metrics"), "405"), (Scraped.request("DELETE", "/healthz"), "405"),
            (Scraped.request("GET", "/metrics/"), "404"), (Scraped.request("GET", "//metrics"), "404"),
            (Scraped.request(fields: "Content-Length: 3\r\n") + "abc", "413"),
            (Scraped.request(fields: "Transfer-Encoding: chunked\r\n") + "0\r\n\r\n", "413"),
            ("GET /metrics HTTP/1.1\r\nHost: x\r\nX: \(String(repeating: "y", count: 9_000))\r\n\r\n", "4"),
        ])
    func refused(request: String, status: String) async throws {
        try await Scraped().run { scraped in
            let answer = try await scraped.exchange(request)
            #expect(answer.hasPrefix("HTTP/1.1 \(status)"), "\(answer.prefix(80))")
            #expect(!answer.hasSuffix("(open)"))
            #expect(scraped.meter.reads.load(ordering: .relaxed) == 0)
        }
    }

    @Test("a daemon that does not serve says so with 503")
    func unready() async throws {
        try await Scraped(Meter(isServing: false)).run { scraped in
            for path in ["/metrics", "/healthz"] {
                let answer = try await scraped.exchange(Scraped.request("GET", path))
                #expect(answer.hasPrefix("HTTP/1.1 503"), "\(path)")
            }
            #expect(scraped.value("nearcast_scrapes_total", ["result": "unavailable"]) == 2)
        }
    }

    @Test("a reply of megabytes arrives whole, also over a connection that is kept, and over TLS")
    func large() async throws {
        for isEncrypted in [false, true] {
            try await Scraped(Meter(series: 40_000), isEncrypted: isEncrypted).run { scraped in
                let curl = Process()
                curl.executableURL = URL(filePath: "/usr/bin/env")
                let url = "\(isEncrypted ? "https" : "http")://127.0.0.1:\(scraped.port)/metrics"
                curl.arguments = ["curl", "-sk", url, url]
                let pipe = Pipe()
                curl.standardOutput = pipe
                try curl.run()
                let text = try await offPool {
                    String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
                }
                #expect(text.components(separatedBy: "nearcast_zone_serial{").count == 80_001)
                #expect(text.components(separatedBy: "zone39999.example.").count == 3)
            }
        }
    }

    @Test("requests that come together share one reading of the metrics")
    func shared() async throws {
        try await Scraped().run { scraped in
            try await withThrowingTaskGroup(of: String.self) { tasks in
                for _ in 0..<16 { tasks.addTask { try await scraped.exchange(Scraped.request()) } }
                for try await answer in tasks { #expect(answer.hasPrefix("HTTP/1.1 200")) }
            }
            #expect(scraped.meter.reads.load(ordering: .relaxed) <= 8)
        }
    }

    /// 32 networks hold or renew four connections each: silent ones, half a request, and one that scrapes without
    /// reading. An honest scraper of another network is served all the while, and so is the control socket.
    @Test("besieged from 32 networks, it serves an honest scraper, and the control socket answers")
    func siege() async throws {
        var limits = MetricsServer.Limits(connections: 64, connectionsPerClient: 4)
        limits.requestMilliseconds = 2_000
        let meter = Meter(series: 5_000)
        try await Scraped(meter, limits).run { scraped in
            let endpoint = scraped.server.endpoints[0]
            try await withServer { client throws in
                let besiegers = Besiegers(endpoint, networks: 32, perNetwork: 4)
                defer { besiegers.end() }
                eventually { (scraped.closedByLimits ?? 0) > 100 }
                for _ in 0..<10 {
                    let start = ContinuousClock.now
                    let pid = try client.status().pid
                    #expect(pid == 42)
                    #expect(ContinuousClock.now - start < .seconds(2))
                    let descriptor = try Listening.connected(endpoint.port, patience: 10)
                    defer { close(descriptor) }
                    let bytes = Array(Scraped.request().utf8)
                    _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
                    let answer = Listening.received(descriptor)
                    #expect(answer.contains("zone4999.example."), "\(answer.prefix(80))")
                }
                #expect(besiegers.made.load(ordering: .relaxed) > 128)
                #expect(scraped.value("nearcast_metrics_connections") ?? .infinity <= 64)
            }
        }
    }
}

extension Scraped {
    /// Connections closed because of a limit.
    fileprivate var closedByLimits: Double? {
        server.metrics.filter { $0.name == "nearcast_metrics_connections_closed_total" }.map(\.value).reduce(0, +)
    }
}

/// Hostile clients on networks of loopback. Each connection that the server closes comes back at once.
private final class Besiegers: Sendable {
    let made = Atomic<Int>(0)
    private let stopped = Atomic<Bool>(false)
    private let threads = DispatchGroup()

    init(_ endpoint: SocketEndpoint, networks: Int, perNetwork: Int) {
        let openings = ["", "GET /metrics HTTP/1.1\r\nX: ", Scraped.request(closes: false), "x"]
        for network in 0..<networks {
            threads.enter()
            Thread.detachNewThread { [self] in
                var sockets = [CInt](repeating: -1, count: perNetwork)
                while !stopped.load(ordering: .relaxed) {
                    for index in sockets.indices {
                        var byte: UInt8 = 0
                        let gone =
                            sockets[index] < 0 || recv(sockets[index], &byte, 1, Int32(MSG_DONTWAIT | MSG_PEEK)) == 0
                            || errno == ECONNRESET
                        guard gone else { continue }
                        if sockets[index] >= 0 { close(sockets[index]) }
                        sockets[index] = Self.connect(
                            endpoint.port, from: 0x7f01_0001 + UInt32(network) << 8 + UInt32(index))
                        made.wrappingAdd(1, ordering: .relaxed)
                        let bytes = Array(openings[index % openings.count].utf8)
                        _ = send(sockets[index], bytes, bytes.count, Int32(MSG_NOSIGNAL))
                    }
                    usleep(2_000)
                }
                for socket in sockets where socket >= 0 { close(socket) }
                threads.leave()
            }
        }
    }

    func end() {
        stopped.store(true, ordering: .relaxed)
        threads.wait()
    }

    private static func connect(_ port: UInt16, from address: UInt32) -> CInt {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        func call(_ address: UInt32, _ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt) -> CInt {
            var name = sockaddr_in()
            name.sin_family = sa_family_t(AF_INET)
            name.sin_port = port.bigEndian
            name.sin_addr.s_addr = address.bigEndian
            return withUnsafePointer(to: name) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
        }
        _ = call(address, 0) { bind(descriptor, $0, $1) }
        _ = call(0x7f00_0001, port) { Glibc.connect(descriptor, $0, $1) }
        return descriptor
    }
}
