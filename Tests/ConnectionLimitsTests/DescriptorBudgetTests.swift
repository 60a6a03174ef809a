import ConnectionLimits
import Testing

@Suite("Budget of descriptors")
struct DescriptorBudgetTests {
    private let wanted = DescriptorBudget.Streams(tcp: 1_024, tls: 1_024, reports: 1_024)

    @Test("with enough descriptors, each part gets what it asked for", arguments: [8_192, 65_536, 1 << 20])
    func room(limit: Int) {
        let budget = DescriptorBudget(limit: limit, wanted: wanted, others: 8)
        #expect(budget.streams == wanted && budget.shortage == nil)
        #expect(budget.probes <= 8_192 && budget.probes >= 1_024)
    }

    @Test(
        "the sum never exceeds the limit, and files, control and probes keep their share", arguments: 6...16)
    func sum(bits: Int) {
        for limit in [1 << bits, (1 << bits) + 37] {
            let budget = DescriptorBudget(limit: limit, wanted: wanted, others: 20)
            #expect(budget.own + budget.control + budget.probes + budget.streams.sum <= limit)
            #expect(budget.own >= min(256, limit / 2) && budget.control >= min(256, limit / 16))
            #expect(budget.probes >= limit / 8 || budget.probes == 8_192)
            #expect(budget.streams.tcp > 0 && budget.streams.tls > 0 && budget.streams.reports > 0)
        }
    }

    @Test(
        "a shortage names what is reduced, and the limit that it recommends is enough",
        arguments: [
            (1_024, 1_024, 0, 4), (1_024, 1_024, 1_024, 10), (1_024, 1_024, 0, 800), (4_096, 4_096, 1_024, 3_000),
        ])
    func shortage(limit: Int, tcp: Int, tls: Int, others: Int) throws {
        let budget = DescriptorBudget(limit: limit, wanted: .init(tcp: tcp, tls: tls, reports: 0), others: others)
        let text = try #require(budget.shortage)
        #expect(text.contains("TCP \(budget.streams.tcp) of \(tcp)") && text.contains("TLS") == (tls > 0))
        let named = try #require(text.split(separator: " ").compactMap { Int($0) }.last)
        #expect(DescriptorBudget(limit: named, wanted: budget.wanted, others: others).shortage == nil)
    }
}
