import Health
import HealthChecks
import IPNetworks
import Testing

@Suite struct NodeProbesTests {
    @Test("probes are counted for each node of the plan, and a node that leaves takes its counts along")
    func byNode() async throws {
        let prober = Prober()
        let check = Check(
            .tcp(TCPProbe(port: 9)), target: .v4(0x7f00_0001), intervalMilliseconds: 100, timeoutMilliseconds: 100,
            fall: 1,
            rise: 1)
        prober.use(["fra": [check], "ber": []])
        while prober.nodeProbes["fra"]?.failed ?? 0 < 2 { try await Task.sleep(for: .milliseconds(10)) }
        #expect(prober.nodeProbes["ber"] == NodeProbes())
        #expect(prober.nodeProbes["fra"]?.passed == 0)
        prober.use(["ber": []])
        #expect(Set(prober.nodeProbes.keys) == ["ber"])
        await prober.close()
    }
}
