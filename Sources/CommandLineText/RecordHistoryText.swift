public import ManagementTypes

extension [RecordChangeReport] {
    /// For people: a head line for each change, then what went and what came.
    ///
    ///     change 4711  2026-11-25 10:00:00 UTC  serial 7  by anna
    ///       - www.example.com. 300 A 192.0.2.1
    ///       + www.example.com. 60 A 192.0.2.2
    public func text(_ palette: Palette) -> String {
        guard !isEmpty else { return "no changes\n" }
        var lines: [String] = []
        var number: UInt64?
        for change in self {
            if change.change != number {
                number = change.change
                lines.append(palette.paint(change.head, .strong))
            }
            lines += change.lines(change.before, "-").map { palette.paint($0, .bad) }
            lines += change.lines(change.after, "+").map { palette.paint($0, .good) }
        }
        return lines.map { $0 + "\n" }.joined()
    }
}

extension RecordChangeReport {
    fileprivate var head: String {
        let who = author.map { "  by \($0.printable)" } ?? ""
        return "change \(change)  \(Quantities.time(time))  serial \(serial)\(who)"
    }

    fileprivate func lines(_ content: RecordContent?, _ sign: String) -> [String] {
        (content?.records ?? []).map { "  \(sign) \(name.printable) \(content?.ttl ?? 0) \(type) \($0.printable)" }
    }
}
