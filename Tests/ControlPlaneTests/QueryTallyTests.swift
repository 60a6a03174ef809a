import ControlPlane
import DNSServer
import Resolution
import Telemetry
import Testing

@Suite struct QueryTallyTests {
    /// A query for a type at the name `a`.
    private static func query(_ type: UInt16) -> [UInt8] {
        [0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0x61, 0, UInt8(type >> 8), UInt8(type & 255), 0, 1]
    }

    private static func reply(_ rcode: UInt8) -> [UInt8] { [0, 1, 0x84, rcode] + [UInt8](repeating: 0, count: 8) }

    private func series(_ packet: [UInt8], _ verdict: Verdict, _ reply: [UInt8]) -> [String] {
        let tally = QueryTally()
        packet.withUnsafeBytes { tally.count($0, .tcp, verdict, reply) }
        return tally.metrics.filter { $0.value > 0 }.map {
            "\($0.labels["transport"] ?? "") \($0.labels["type"] ?? $0.labels["rcode"] ?? "") \($0.value)"
        }
    }

    @Test(
        "a query counts once by its type, whatever it holds",
        arguments: [
            (query(1), "A"), (query(28), "AAAA"), (query(65), "HTTPS"), (query(255), "ANY"), (query(99), "other"),
            ([UInt8](query(1).prefix(16)), "other"), ([UInt8](query(1).prefix(12)), "other"),
            ([0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0xC0, 12, 0, 1, 0, 1], "other"),
            ([0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0x61, 0, 0, 1, 0, 1], "other"),
        ])
    func types(packet: [UInt8], type: String) {
        #expect(
            series(packet, .answeredStatic, Self.reply(0)).sorted() == ["tcp NOERROR 1.0", "tcp \(type) 1.0"].sorted())
    }

    @Test(
        "a reply counts by its rcode, and silence counts as no reply",
        arguments: [
            (Verdict.nxDomain, reply(3), "NXDOMAIN"), (.badVers, reply(0), "BADVERS"),
            (.badCookie, reply(7), "BADCOOKIE"), (.answeredStatic, reply(9), "other"),
            (.yxDomain, reply(6), "YXDOMAIN"),
        ])
    func rcodes(verdict: Verdict, reply: [UInt8], rcode: String) {
        #expect(series(Self.query(1), verdict, reply).contains("tcp \(rcode) 1.0"))
        #expect(series(Self.query(1), .rateDropped, []) == ["tcp A 1.0"])
    }

    @Test("every series is there from the start")
    func complete() {
        let metrics = QueryTally().metrics
        #expect(metrics.count == 3 * (10 + 13) && metrics.allSatisfy { $0.value == 0 })
    }
}
