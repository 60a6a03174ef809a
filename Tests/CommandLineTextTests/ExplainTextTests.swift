import CommandLineText
import ControlAPI
import Testing

@Suite struct ExplainTextTests {
    private static let tailored = ExplainReport(
        name: "www.example.com", type: "A", client: "203.0.113.0/24",
        clientPlace: ClientPlace(
            known: true, latitude: 35.6895, longitude: 139.6917, city: "Tokyo", region: "Tokyo", country: "JP",
            continent: "AS", network: "203.0.112.0/22"), source: .ecs, scope: 22,
        candidates: [
            CandidateReport(
                node: "tyo1", distanceKm: 3.2, band: 0, weight: 1, state: .down, share: 0, eligible: true,
                chosen: false,
                reason: "down"),
            CandidateReport(
                node: "sin1", distanceKm: 5_312.4, band: 1, weight: 2, state: .up, share: 256, eligible: true,
                chosen: true, reason: "the nearest usable node"),
            CandidateReport(
                node: "v6only", weight: 1, state: .up, share: 256, eligible: false, chosen: false,
                reason: "has no IPv4 address"),
        ], answers: ["203.0.113.30"], responseCode: "NOERROR", ttl: 60, path: .fast, epoch: 7, digest: "00ff")

    @Test("a tailored answer shows the client, every candidate with its reason, and the answer")
    func tailored() {
        #expect(
            Self.tailored.text(.plain) == """
                question  www.example.com A
                client    203.0.113.0/24
                place     Tokyo, JP, AS (35.69, 139.69)
                network   203.0.112.0/22
                known by  the client subnet in the query (ECS)

                Candidates, in the order in which they are tried
                   node    distance  band  weight  state  share  in or out
                   tyo1      3.2 km     0       1  down     0 %  down
                →  sin1    5,312 km     1       2  up     100 %  the nearest usable node
                   v6only                       1  up     100 %  has no IPv4 address

                Answer
                response     NOERROR
                records      203.0.113.30
                TTL          60 s
                scope        /22
                answered by  fast path
                model        epoch 7, digest 00ff

                """)
    }

    @Test("an answer without candidates says why there are none and why user space gives it")
    func untailored() {
        var report = Self.tailored
        report.candidates = []
        report.answers = []
        report.responseCode = "NXDOMAIN"
        report.ttl = nil
        report.scope = 0
        report.path = .slow
        report.pathReason = "the name is not tailored"
        report.clientPlace = ClientPlace(known: false)
        report.source = .address
        #expect(
            report.text(.plain) == """
                question  www.example.com A
                client    203.0.113.0/24
                place     unknown: the database has no place for this client
                known by  the sender's address

                No candidates: the answer is the same for every client

                Answer
                response     NXDOMAIN
                records      none
                scope        none: the query carries no client subnet
                answered by  slow path: the name is not tailored
                model        epoch 7, digest 00ff

                """)
    }
}
