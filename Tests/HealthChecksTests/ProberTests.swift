import Health
import HealthChecks
import IPNetworks
import Testing

@Suite struct ProberTests {
    private func check(_ port: UInt16, interval: Int64 = 100, timeout: Int64 = 50) -> Check {
        Check(
            .tcp(TCPProbe(port: port)), target: .v4(0x7f00_0001), intervalMilliseconds: interval,
            timeoutMilliseconds: timeout)
    }

    @Test("probes begin an interval apart, ±5 %", arguments: [false, true])
    func pace(isHTTP: Bool) async throws {
        let server = try TestServer { _ in TestServer.http("200 OK", "well") }
        try await expectPace(
            of: isHTTP
                ? .http(HTTPProbe(port: server.port, body: "well")) : .tcp(TCPProbe(port: server.port)))
    }

    @Test("targets that hang delay no other target")
    func stuck() async throws {
        let server = try TestServer { _ in [] }
        let silent = try TestServer { _ in nil }
        // The source address makes each check different from the others.
        let stuck = (0..<50).map { index in
            Check(
                .tcp(TCPProbe(port: silent.port, expect: "never")), target: .v4(0x7f00_0001),
                source: .v4(0x7f00_0002 + UInt32(index)), intervalMilliseconds: 1_000, timeoutMilliseconds: 900)
        }
        try await withProber(["stuck": stuck, "node": [check(server.port, timeout: 10_000)]]) { _, results in
            let good = try await results.first(10)
            #expect(good.allSatisfy { $0.outcome.result == .passed })
            // One after the other, the targets that hang would take a minute and a half for each round.
            #expect(good[9].at - good[0].at < 60_000)
        }
    }

    @Test("probes beyond the limit wait, and are counted")
    func limit() async throws {
        let silent = try TestServer { _ in nil }
        let plan = Dictionary(
            uniqueKeysWithValues: (0..<6).map { index in
                let probe = TCPProbe(port: silent.port, expect: "never \(index)")
                let check = Check(
                    .tcp(probe), target: .v4(0x7f00_0001), intervalMilliseconds: 400, timeoutMilliseconds: 300)
                return ("n\(index)", [check])
            })
        try await withProber(plan, limit: 2) { prober, results in
            for index in 0..<6 { _ = try await results.first(1, of: "n\(index)") }
            #expect(prober.counters.delayed > 0)
        }
    }

    @Test("a new plan ends removed checks, and keeps the pace of the others")
    func plans() async throws {
        let server = try TestServer { _ in [] }
        let (stays, goes) = (check(server.port), check(server.port, interval: 101))
        try await withProber(["node": [stays, goes]]) { prober, results in
            _ = try await results.first(6)
            prober.use(["node": [stays], "other": [stays]])
            _ = try await results.first(3, of: "other")
            let before = results.of("node").count { $0.check == goes }
            _ = try await results.first(8, of: "other")
            #expect(results.of("node").count { $0.check == goes } == before)
            #expect(prober.counters.checks == 2)
        }
    }
}
