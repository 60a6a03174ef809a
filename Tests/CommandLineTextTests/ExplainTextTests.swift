import CommandLineText
import ManagementTypes
import Testing

@Suite struct ExplainTextTests {
    private static let addresses = ChoiceReport(
        subject: "IPv4 addresses", table: 3, strategy: "nearest", outcome: "from the location's candidate list",
        candidates: [
            CandidateReport(
                node: "tyo1", distanceKm: 3.2, band: 0, weight: 1, state: .down, share: 0, hash: "0a", draw: 10,
                eligible: true, chosen: false, reason: "is down"),
            CandidateReport(
                node: "sin1", distanceKm: 5_312.4, bias: 10, band: 1, weight: 2, state: .up, share: 256, hash: "ff",
                draw: 255, eligible: true, chosen: true, reason: "chosen"),
            CandidateReport(
                node: "v6only", weight: 1, state: .up, share: 256, eligible: false, chosen: false,
                reason: "has no IPv4 address"),
        ])

    private static let tailored = ExplainReport(
        name: "www.example.com", type: "A", client: "203.0.113.0/24",
        clientPlace: ClientPlace(
            known: true, latitude: 35.6895, longitude: 139.6917, city: "Tokyo", region: "Tokyo", country: "JP",
            continent: "AS", network: "203.0.112.0/22", labels: ["asn:64500", "office"]), source: .ecs,
        view: "inside",
        access: AccessReport(zone: "example.com.", isAdmitted: true, reason: "which allows 203.0.113.0/24"),
        pool: "web", policy: "near", scope: 22, choices: [addresses], answers: ["203.0.113.30"],
        responseCode: "NOERROR", ttl: 60, path: .fast, epoch: 7, digest: "00ff")

    @Test("a tailored answer shows the client, every candidate with its reason, and the answer")
    func tailored() {
        #expect(
            Self.tailored.text(.plain) == """
                question    www.example.com A
                client      203.0.113.0/24
                place       Tokyo, JP, AS (35.69, 139.69)
                labels      asn:64500, office
                network     203.0.112.0/22
                known by    the client subnet in the query (ECS)
                view        inside
                zone        example.com., which allows 203.0.113.0/24
                decided by  pool web, policy near

                Candidates for IPv4 addresses by nearest: from the location's candidate list
                   node    distance  bias  band  weight  state  share  draw  why
                   tyo1      3.2 km           0       1  down     0 %    10  is down
                →  sin1    5,312 km  10 %     1       2  up     100 %   255  chosen
                   v6only                             1  up     100 %        has no IPv4 address

                Answer
                response     NOERROR
                records      203.0.113.30
                TTL          60 s
                scope        /22
                answered by  fast path
                model        epoch 7, digest 00ff

                """)
    }

    @Test("a refusal names the filters that were ignored, the fallback pool, and why user space answers")
    func refused() {
        var report = Self.tailored
        let candidate = CandidateReport(
            node: "tyo1", score: 0.4829131, milliseconds: 12, tier: 1, band: 0, weight: 1, state: .down, share: 0,
            eligible: true, chosen: false, reason: "is down")
        report.choices = [
            ChoiceReport(
                subject: "IPv6 addresses", strategy: "linear", isFallback: true, relaxed: "the maximum distance",
                outcome: "no node is usable", candidates: [candidate])
        ]
        report.answers = []
        report.responseCode = "REFUSED"
        report.ttl = nil
        report.scope = 0
        report.path = .slow
        report.pathReason = "the zone has an access list"
        report.clientPlace = ClientPlace(known: false)
        report.source = .address
        report.view = nil
        report.access = nil
        let heading =
            "Candidates for IPv6 addresses by linear, of the fallback pool; ignored the maximum distance, which left no node: "
            + "no node is usable"
        #expect(
            report.text(.plain) == """
                question    www.example.com A
                client      203.0.113.0/24
                place       unknown: the database has no location for this client
                known by    the sender's address
                decided by  pool web, policy near

                \(heading)
                node  latency     score  tier  band  weight  state  share  why
                tyo1    12 ms  0.482913     1     0       1  down     0 %  is down

                Answer
                response     REFUSED
                records      none
                scope        none: the query has no client subnet
                answered by  slow path: the zone has an access list
                model        epoch 7, digest 00ff

                """)
    }

    @Test("for a large pool the chosen nodes and the next few are shown, and all nodes on request")
    func largePool() {
        var report = Self.tailored
        report.choices = [
            ChoiceReport(
                subject: "IPv4 addresses", table: 3, strategy: "nearest", outcome: "from the location's candidate list",
                candidates: (0..<40).map { index in
                    CandidateReport(
                        node: "n\(index)", weight: 1, state: .up, share: 256, eligible: true, chosen: index % 20 == 19,
                        reason: "reason \(index)")
                })
        ]
        func shown(_ text: String) -> [String] {
            text.split(separator: "\n").filter { $0.contains("reason") }.compactMap {
                $0.split(separator: " ").first { $0.hasPrefix("n") }.map(String.init)
            }
        }
        let short = report.text(.plain)
        #expect(shown(short) == (0..<10).map { "n\($0)" } + ["n19", "n39"])
        #expect(short.contains("\n… 28 more: --all shows them\n"))
        let whole = report.text(.plain, allCandidates: true)
        #expect(shown(whole).count == 40)
        #expect(!whole.contains("more: --all"))
    }
}
