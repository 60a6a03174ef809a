import CommandLineText
import Foundation
import ManagementTypes
import Testing

@Suite struct RecordTextTests {
    @Test("each record has a line, and a removed RRset has one")
    func list() {
        let time = Date(timeIntervalSince1970: 1_700_000_000)
        let report = RRsetsReport(
            zone: "example.com.", serial: 7, changed: 2, total: 3,
            rrsets: [
                RRsetReport(
                    name: "a.example.com.", type: "A", ttl: 60, records: ["192.0.2.1", "192.0.2.2"], changedAt: time,
                    changedBy: "ann"),
                RRsetReport(name: "b.example.com.", type: "TXT", records: [], changedAt: time),
            ])
        #expect(
            report.text(.plain) == """
                name            TTL  type  data       changed                  by
                a.example.com.   60  A     192.0.2.1  2023-11-14 22:13:20 UTC  ann
                a.example.com.   60  A     192.0.2.2
                b.example.com.       TXT   (deleted)  2023-11-14 22:13:20 UTC

                2 of 3 RRsets; zone example.com., serial 7, 2 changed since the file

                """)
    }

    @Test("a long record is shortened")
    func long() {
        let report = RRsetsReport(
            zone: "example.com.", serial: 7, changed: 0, total: 1,
            rrsets: [RRsetReport(name: "a.", type: "TXT", ttl: 1, records: [String(repeating: "x", count: 5_000)])])
        #expect(report.text(.plain).contains("  \(String(repeating: "x", count: 99))…\n"))
        #expect(report.text(.plain).contains("\n1 RRset; zone example.com., serial 7, 0 changed since the file\n"))
    }

    @Test("a receipt shows serial, number and time, and why a change took long")
    func receipt() {
        var receipt = RRsetsReceipt(
            zone: "example.com.", serial: 7, changed: 1, epoch: 2, fastPath: .names, tookMilliseconds: 3.1)
        #expect(receipt.text(.plain) == "example.com. has serial 7: 1 RRset changed; packets saw it after 3.1 ms\n")
        (receipt.changed, receipt.change, receipt.fastPath) = (2, 4711, .tables)
        #expect(
            receipt.text(.plain)
                == "example.com. has serial 7: 2 RRsets changed (change 4711); packets saw it after 3.1 ms, with new tables\n"
        )
        receipt.changed = 0
        #expect(receipt.text(.plain) == "example.com. has serial 7: no change\n")
        receipt.warnings = ["the strings of this SPF policy are joined without blanks [zone-spf]"]
        #expect(
            receipt.text(.plain).hasSuffix(
                "\nwarning: the strings of this SPF policy are joined without blanks [zone-spf]\n"))
    }
    @Test("a history has one head for the RRsets that were changed together")
    func history() {
        let time = Date(timeIntervalSince1970: 1_700_000_000)
        func change(_ number: UInt64, _ type: String, _ before: String?, _ after: String?) -> RecordChangeReport {
            RecordChangeReport(
                change: number, time: time, zone: "a.", name: "www.a.", type: type,
                before: before.map { RecordContent(ttl: 60, records: [$0]) },
                after: after.map { RecordContent(ttl: 30, records: [$0]) }, serial: UInt32(number), author: "ann")
        }
        let history = [
            change(9, "A", "192.0.2.1", nil), change(9, "CNAME", nil, "b.a."), change(7, "A", nil, "192.0.2.1"),
        ]
        #expect(
            history.text(.plain) == """
                change 9  2023-11-14 22:13:20 UTC  serial 9  by ann
                  - www.a. 60 A 192.0.2.1
                  + www.a. 30 CNAME b.a.
                change 7  2023-11-14 22:13:20 UTC  serial 7  by ann
                  + www.a. 30 A 192.0.2.1

                """)
        #expect([RecordChangeReport]().text(.plain) == "no changes\n")
    }
}
