import Health
import HealthChecks
import IPNetworks
import Testing

/// ICMP checks, which use raw sockets and so need root.
@Suite struct PingTests {
    @Test(
        "an ICMP echo request to this machine passes, over both families",
        arguments: [IPAddress.v4(0x7f00_0001), .v6(1)])
    func echo(target: IPAddress) async throws {
        let seen = try await outcome(of: .icmp, at: target)
        #expect(seen.result == .passed, "\(seen.evidence)")
    }

    @Test("ICMP echo requests begin an interval apart, ±5 %")
    func pace() async throws { try await expectPace(of: .icmp) }
}
