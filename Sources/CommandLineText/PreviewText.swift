public import ManagementTypes

extension ReloadPreview {
    /// For people: what would change, by section.
    public func text(_ palette: Palette) -> String {
        var lines = [summary(palette)] + changeLines
        for zone in records { lines += zone.lines(palette) }
        lines += problems.map { palette.paint("\($0): the previous version would stay in use".printable, .bad) }
        lines += warnings.map { "\(palette.paint("warning", .warning)): \($0.printable)" }
        return lines.joined(separator: "\n") + "\n"
    }

    private func summary(_ palette: Palette) -> String {
        let took = "checked in \(Quantities.duration(loadSeconds))"
        guard changed else { return "nothing would change: epoch \(epoch), digest \(digest), \(took)" }
        return "\(palette.paint("would reload", .warning)): digest \(digest), \(took); nothing has changed"
    }
}

extension ReloadPreview.ZoneDifference {
    fileprivate func lines(_ palette: Palette) -> [String] {
        let serials = serial == nextSerial ? "serial \(serial)" : "serial \(serial) to \(nextSerial)"
        let count = "\(Quantities.count(added)) records added, \(Quantities.count(removed)) removed"
        var lines = ["  \(zone.printable) \(serials): \(count)"]
        lines += rrsets.flatMap { $0.lines(palette) }.map { "    \($0)" }
        let shown = rrsets.reduce(0) { $0 + $1.added.count + $1.removed.count }
        if shown < added + removed { lines.append("    … \(Quantities.count(added + removed - shown)) more") }
        return lines
    }
}

extension RRsetsPreview {
    /// For people: the lines that would come and go.
    public func text(_ palette: Palette) -> String {
        let sets = rrsets.count == 1 ? "1 RRset" : "\(Quantities.count(rrsets.count)) RRsets"
        let summary =
            rrsets.isEmpty
            ? "\(zone.printable) would stay as it is, with serial \(serial)"
            : "\(zone.printable) would have serial \(nextSerial) instead of \(serial): \(sets) changed; nothing has changed"
        return (rrsets.flatMap { $0.lines(palette) } + [summary]).joined(separator: "\n") + "\n"
    }
}

extension RRsetDifference {
    fileprivate func lines(_ palette: Palette) -> [String] {
        removed.map { palette.paint("- \($0)".printable, .bad) }
            + added.map { palette.paint("+ \($0)".printable, .good) }
    }
}
