import DNSWire
import Glibc
import Health
import HealthChecks
import HostLookup
import IPNetworks
import Testing

/// Says of every name what a test wants.
private struct ScriptedLookup: LookupTransport {
    enum Answer {
        case address(String)
        case code(UInt8)
        /// The same after some milliseconds.
        case late(Int, String)
        case never
    }

    /// By the last byte of the type: 1 for A, 28 for AAAA.
    let answer: @Sendable (UInt8) -> Answer

    func ask(_ question: LookupQuestion, _ server: LookupServer, overTCP: Bool) async throws -> [UInt8] {
        let query = question.message
        let (code, data): (UInt8, [UInt8])
        switch answer(query[query.count - 3]) {
        case .address(let text): (code, data) = (0, IPAddress(text)?.bytes ?? [])
        case .late(let milliseconds, let text):
            try await Task.sleep(for: .milliseconds(milliseconds))
            (code, data) = (0, IPAddress(text)?.bytes ?? [])
        case .code(let number): (code, data) = (number, [])
        case .never:
            try await Task.sleep(for: .seconds(600))
            throw LookupFailure(description: "no reply in time")
        }
        let record =
            data.isEmpty ? [] : query[12...].dropLast(4) + query.suffix(4) + [0, 0, 0, 60, 0, UInt8(data.count)] + data
        return query[0..<2] + [0x81, 0x80 | code, 0, 1, 0, data.isEmpty ? 0 : 1, 0, 0, 0, 0] + query[12...] + record
    }
}

@Suite struct HostProbeTests {
    /// The first outcome of a check of `cdn.example.net`.
    private func outcome(
        of probe: Check.Probe, source: IPAddress? = nil, timeout: Int64 = 600_000,
        _ answer: @escaping @Sendable (UInt8) -> ScriptedLookup.Answer
    ) async throws -> ProbeOutcome {
        let servers = ServerList.fixed([LookupServer(.v4(0x7f00_0001))])
        let lookup = HostLookup(servers: { servers }, transport: ScriptedLookup(answer: answer), now: { 0 })
        let check = Check(
            probe, target: .host("cdn.example.net"), source: source, intervalMilliseconds: 100,
            timeoutMilliseconds: timeout)
        return try await withProber(["node": [check]], lookup: lookup) { _, results in
            try await results.first(1)[0].outcome
        }
    }

    private static let loopback: @Sendable (UInt8) -> ScriptedLookup.Answer = { type in
        type == 1 ? .address("127.0.0.1") : .code(0)
    }

    @Test func `a host is probed at its address and by its name, with and without reading a body`() async throws {
        let server = try TestServer { request in
            let text = String(decoding: request, as: UTF8.self)
            return TestServer.http(text.contains("Host: cdn.example.net\r\n") ? "200 OK" : "421 Misdirected", "well")
        }
        for body in ["", "well"] {
            let probe = HTTPProbe(port: server.port, host: "cdn.example.net", body: body)
            #expect(try await outcome(of: .http(probe), Self.loopback).result == .passed)
        }
        let plain = Check.Probe.tcp(TCPProbe(port: server.port))
        #expect(try await outcome(of: plain, Self.loopback) == .passed("connected at 127.0.0.1"))
    }

    @Test func `a host with an IPv6 address alone is probed there`() async throws {
        let found = try await outcome(of: .tcp(TCPProbe(port: 1))) { $0 == 28 ? .address("::1") : .code(0) }
        #expect(found.result == .refused, "\(found)")
    }

    @Test func `a name that does not exist or has no address fails, and one that nobody knows is not judged`()
        async throws
    {
        let probe = Check.Probe.tcp(TCPProbe(port: 1))
        let missing = try await outcome(of: probe) { _ in .code(3) }
        #expect(missing == .failed("the name cdn.example.net does not exist"))
        let empty = try await outcome(of: probe) { _ in .code(0) }
        #expect(empty == .failed("the name cdn.example.net has no address"))
        let wrongFamily = try await outcome(of: probe, source: .v6(1), Self.loopback)
        #expect(wrongFamily == .failed("the name cdn.example.net has no address of the family of ::1"))
        let broken = try await outcome(of: probe) { _ in .code(2) }
        #expect(broken.result == .unasked && broken.evidence.contains("SERVFAIL"), "\(broken)")
        // One family may be known to be empty, and the other one not.
        let half = try await outcome(of: probe) { $0 == 1 ? .code(0) : .code(5) }
        #expect(half.result == .unasked, "\(half)")
    }

    @Test func `the host has the whole timeout, however long the lookup took`() async throws {
        let server = try TestServer { _ in
            usleep(3_300_000)
            return TestServer.http("200 OK", "well")
        }
        let probe = HTTPProbe(port: server.port, host: "cdn.example.net", body: "well")
        var found = ProbeOutcome.unasked("")
        // A machine that is busy needs more time for the lookup.
        for _ in 0..<10 where found.result == .unasked {
            found = try await outcome(of: .http(probe), timeout: 4_000) { type in
                type == 1 ? .late(900, "127.0.0.1") : .code(0)
            }
        }
        #expect(found.result == .passed, "\(found)")
    }

    @Test func `a lookup that takes half of the timeout is not the host's fault`() async throws {
        let late = try await outcome(of: .tcp(TCPProbe(port: 1)), timeout: 90) { _ in .never }
        #expect(late.result == .unasked && late.evidence.contains("half of the timeout"), "\(late)")
    }
}
