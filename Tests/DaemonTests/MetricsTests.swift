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
            // Every series of a node is there before anything happened, and exactly one state is 1.
            let text = try world.fetch()
            for node in ["ber", "nyc", "sin"] {
                for result in ["passed", "failed", "unasked"] {
                    #expect(metric("nearcast_probes_total{node=\"\(node)\",result=\"\(result)\"}", in: text) == 0)
                }
                let states = ["up", "degraded", "held", "down", "unknown", "drained", "maintenance"].map {
                    metric("nearcast_node_state{node=\"\(node)\",state=\"\($0)\"}", in: text)
                }
                #expect(states.compactMap(\.self).count == 7 && states.compactMap(\.self).reduce(0, +) == 1)
            }
            #expect(metric("nearcast_xdp_attached{interface=\"ncs0\",mode=\"native\"}", in: text) == 1)
            #expect(metric("nearcast_xdp_attached{interface=\"ncs0\",mode=\"off\"}", in: text) == 0)
            #expect(metric("nearcast_slow_path_replies_total{rcode=\"NOERROR\",transport=\"tcp\"}", in: text) == 0)
            #expect(try world.address(stream: true) == Service.berlin)
            #expect(world.nearcast("node", "set", "ber", "down").status == 0)
            try await eventually("the counts of what happened") {
                let text = try world.fetch()
                return metric("nearcast_slow_path_replies_total{rcode=\"NOERROR\",transport=\"tcp\"}", in: text) == 1
                    && metric("nearcast_slow_path_questions_total{transport=\"tcp\",type=\"A\"}", in: text) == 1
                    && metric("nearcast_slow_path_latency_seconds_count{transport=\"tcp\"}", in: text) == 1
                    && metric("nearcast_node_transitions_total{node=\"ber\",state=\"down\"}", in: text) == 1
                    && metric("nearcast_node_state{node=\"ber\",state=\"down\"}", in: text) == 1
                    && metric("nearcast_node_usable{node=\"ber\"}", in: text) == 0
            }
            #expect(try world.fetch("/healthz") == "ok\n")
            #expect(try world.fetch("/v1/status").contains("not_found"))
            #expect(try await daemon.stop() == 0)
        }
    }
}
