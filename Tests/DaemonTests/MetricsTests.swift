import Fixtures
import Foundation
import Testing

extension World {
    /// Fetches a page of the daemon's listener for metrics, from the client's side.
    func fetch(_ path: String = "/metrics", port: UInt16 = 9_953) throws -> String {
        try run(["nsenter", "--net=\(lab.client)", "--", "curl", "-sS", "http://192.0.2.53:\(port)\(path)"])
    }
}

/// A value of a text exposition; `nil` without the series.
func metric(_ series: String, in text: String) -> Double? {
    text.split(separator: "\n").first { $0.hasPrefix("\(series) ") }?.split(separator: " ").last.flatMap { Double($0) }
}

extension DaemonProcess {
    /// What a Prometheus server sees.
    @Suite(.serialized) struct Metrics {
        private static let scrape = """
            global: {scrape_interval: 200ms, scrape_timeout: 200ms}
            scrape_configs:
              - job_name: nearcast
                static_configs: [{targets: ["192.0.2.53:9953"]}]
            """

        @Test("a Prometheus server scrapes the daemon, promtool finds no fault, and each path's answers are counted")
        func scraped() async throws {
            let world = try World("metrics")
            world.configuration += "\nmetrics: {listen: [\"192.0.2.53:9953\"]}\n"
            let daemon = try await world.startReady()
            try world.write("prometheus.yml", Self.scrape)
            let prometheus = Process()
            prometheus.executableURL = URL(filePath: "/usr/bin/env")
            prometheus.arguments = [
                "nsenter", "--net=\(world.lab.client)", "--", "prometheus",
                "--config.file=\(world.url("prometheus.yml").path)",
                "--storage.tsdb.path=\(world.url("tsdb").path)", "--web.listen-address=127.0.0.1:9090",
            ]
            prometheus.standardError = FileHandle.nullDevice
            try prometheus.run()
            defer {
                prometheus.terminate()
                prometheus.waitUntilExit()
            }
            func query(_ expression: String) -> String {
                (try? run([
                    "nsenter", "--net=\(world.lab.client)", "--", "promtool", "query", "instant",
                    "http://127.0.0.1:9090", expression,
                ])) ?? ""
            }
            try await eventually("a scrape that succeeds") { query("up{job=\"nearcast\"} == 1").contains("=> 1 @") }
            _ = try world.address()
            try await eventually("the answer of the fast path") {
                query("nearcast_fast_path_packets_total{verdict=\"answered\"} > 0").contains("=>")
            }

            // promtool reads the text as a Prometheus server does, and judges names, help and types.
            try world.write("metrics.txt", try world.fetch())
            let lint = try run(["sh", "-c", "promtool check metrics < \(world.url("metrics.txt").path) 2>&1"])
            #expect(lint.isEmpty, "\(lint)")
            #expect(try world.fetch("/healthz") == "ok\n")
            #expect(try world.fetch("/v1/status").contains("not_found"))
            #expect(try await daemon.stop() == 0)
        }
    }
}
