public import ManagementTypes

extension RRsetsReport {
    /// Characters of a record that are shown, so that one long text does not widen all lines.
    private static let longest = 100

    private static func shortened(_ record: String) -> String {
        record.unicodeScalars.count > longest ? "\(String(record.unicodeScalars.prefix(longest - 1)))…" : record
    }

    /// For people: one record a line.
    public func text(_ palette: Palette) -> String {
        var table = TextTable([
            .left("name"), .right("TTL"), .left("type"), .left("data"), .left("changed"), .left("by"),
        ])
        for set in rrsets {
            let changed = set.changedAt.map(Quantities.time) ?? ""
            guard !set.records.isEmpty else {
                table.add([
                    .init(set.name, .strong), "", .init(set.type), .init("(deleted)", .warning), .init(changed),
                    .init(set.changedBy ?? ""),
                ])
                continue
            }
            for (number, record) in set.records.enumerated() {
                table.add([
                    .init(set.name, number == 0 ? .strong : .plain), .init(set.ttl.map { "\($0)" } ?? ""),
                    .init(set.type), .init(Self.shortened(record)), .init(number == 0 ? changed : ""),
                    .init(number == 0 ? set.changedBy ?? "" : ""),
                ])
            }
        }
        var report = Report(palette)
        report.add(table)
        let shown =
            rrsets.count == total ? "\(Quantities.count(total))" : "\(rrsets.count) of \(Quantities.count(total))"
        report.add(
            "\(shown) \(total == 1 ? "RRset" : "RRsets"); zone \(zone), serial \(serial), "
                + "\(Quantities.count(changed)) changed since the file"
        )
        return report.text
    }
}

extension RRsetsReceipt {
    /// For people: `example.com. has serial 7: 2 RRsets changed (change 4711); packets saw it after 3.1 ms`, then the
    /// warnings.
    public func text(_ palette: Palette) -> String {
        summary + (warnings ?? []).map { "\(palette.paint("warning", .warning)): \($0.printable)\n" }.joined()
    }

    private var summary: String {
        guard changed > 0 else { return "\(zone.printable) has serial \(serial): no change\n" }
        let way =
            switch fastPath {
            case .names, .none: ""
            case .tables: ", with new tables"
            case .program: ", with a larger program"
            }
        let noun = changed == 1 ? "RRset" : "RRsets"
        let number = change.map { " (change \($0))" } ?? ""
        return
            "\(zone.printable) has serial \(serial): \(Quantities.count(changed)) \(noun) changed\(number); packets saw it after "
            + "\(Quantities.duration(tookMilliseconds / 1e3))\(way)\n"
    }
}
