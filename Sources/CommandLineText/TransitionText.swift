import FoundationEssentials
public import ManagementTypes

extension TransitionReport {
    /// For people, one line: `2026-11-22 21:04:11.204 UTC  fra1  up → down  tcp 198.51.100.10:443: connection refused`.
    public func line(_ palette: Palette) -> String {
        let change = palette.paint("\(from.rawValue) → \(to.rawValue)", to.style)
        let parts = [time.fineText, palette.paint(node.printable, .strong), change, reason.printable]
        return parts.joined(separator: "  ") + "\n"
    }

    /// Why, as far as that is known.
    var reason: String {
        switch cause {
        case "claim", "schedule": author ?? "expired"
        case "withdrawal": author.map { "override withdrawn by \($0)" } ?? "override withdrawn"
        case "configuration": "other checks configured"
        default: evidence ?? ""
        }
    }
}

extension [TransitionReport] {
    /// For people: one change a line.
    public func text(_ palette: Palette) -> String { text(palette, withNodes: false) }

    /// - Parameter withNodes: whether each line names its node.
    public func text(_ palette: Palette, withNodes: Bool) -> String {
        var table = TextTable([
            .left("when"), .left(withNodes ? "node" : ""), .left("from"), .left("to"), .left("cause"), .left("why"),
            .right("epoch"),
        ])
        for change in self {
            table.add([
                .init(change.time.fineText), .init(withNodes ? change.node : "", .strong),
                .init(change.from.rawValue, change.from.style),
                .init(change.to.rawValue + (change.family.map { " (\($0))" } ?? ""), change.to.style),
                .init("\(change.authority), \(change.cause)"),
                .init(change.reason), .init("\(change.epoch)"),
            ])
        }
        var report = Report(palette)
        if isEmpty { report.add("no changes yet") }
        report.add(table)
        return report.text
    }
}

extension Date {
    /// `2026-11-22 08:20:21.204 UTC`: changes follow each other fast.
    fileprivate var fineText: String {
        let milliseconds = Int64((timeIntervalSince1970 * 1e6).rounded()) / 1_000
        let digits = String(milliseconds % 1_000)
        let fraction = String(repeating: "0", count: 3 - digits.utf8.count) + digits
        let whole = Quantities.time(Date(timeIntervalSince1970: Double(milliseconds / 1_000)))
        return whole.replacing(" UTC", with: ".\(fraction) UTC")
    }
}
