import CommandLineText
import ManagementTypes
import Testing

@Suite struct PreviewTextTests {
    private static let difference = RRsetDifference(
        name: "www.example.com.", type: "A", removed: ["www.example.com. 300 IN A 192.0.2.1"],
        added: ["www.example.com. 300 IN A 192.0.2.2"])

    @Test("a dry run of changes shows lines that come and go")
    func records() {
        let preview = RRsetsPreview(zone: "example.com.", serial: 7, nextSerial: 8, rrsets: [Self.difference])
        #expect(
            preview.text(.plain) == """
                - www.example.com. 300 IN A 192.0.2.1
                + www.example.com. 300 IN A 192.0.2.2
                example.com. would have serial 8 instead of 7: 1 RRset changed; nothing has changed

                """)
        let same = RRsetsPreview(zone: "example.com.", serial: 7, nextSerial: 7, rrsets: [])
        #expect(same.text(.plain) == "example.com. would stay as it is, with serial 7\n")
    }

    @Test("a dry run of a reload shows what changes by section")
    func reload() {
        var preview = ReloadPreview(
            epoch: 8, digest: "00fe", changed: true, zones: .init(total: 1, changed: ["example.com."], count: 1),
            nodes: .init(total: 2, added: ["fra2"], count: 1), tailored: .init(total: 0), pools: .init(total: 1),
            policies: .init(total: 2, added: ["spare"], count: 1), settings: ["rate_limit", "lint"], database: false,
            steering: true,
            records: [
                .init(
                    zone: "example.com.", serial: 7, nextSerial: 8, added: 120, removed: 1, rrsets: [Self.difference])
            ],
            problems: [], warnings: ["n.yaml:3:5: policy \"spare\" is used by no tailored name [unused-policy]"],
            loadSeconds: 0.0025)
        #expect(
            preview.text(.plain) == """
                would reload: digest 00fe, checked in 2.5 ms; nothing has changed
                  zones changed: example.com.
                  nodes added: fra2
                  policies added: spare
                  settings changed: rate_limit, lint
                  candidate lists rebuilt
                  example.com. serial 7 to 8: 120 records added, 1 removed
                    - www.example.com. 300 IN A 192.0.2.1
                    + www.example.com. 300 IN A 192.0.2.2
                    … 119 more
                warning: n.yaml:3:5: policy "spare" is used by no tailored name [unused-policy]

                """)
        (preview.changed, preview.zones, preview.nodes) = (false, .init(total: 1), .init(total: 2))
        (preview.policies, preview.settings, preview.steering) = (.init(total: 2), [], false)
        (preview.records, preview.warnings) = ([], [])
        #expect(preview.text(.plain) == "nothing would change: epoch 8, digest 00fe, checked in 2.5 ms\n")
    }
}
