public import ManagementTypes

extension ReloadReport {
    /// For people: what changed, and what could not be loaded.
    public func text(_ palette: Palette) -> String {
        var lines = [summary(palette)] + changeLines
        if let fastPathReason { lines.append("  the program was replaced: \(fastPathReason)") }
        lines += problems.map { palette.paint("\($0): the previous version stays in use".printable, .bad) }
        lines += warnings.map { "\(palette.paint("warning", .warning)): \($0.printable)" }
        return lines.joined(separator: "\n") + "\n"
    }

    private func summary(_ palette: Palette) -> String {
        let model = "epoch \(epoch), digest \(digest)"
        guard changed || !changeLines.isEmpty else {
            return "nothing changed: \(model), checked in \(Quantities.duration(tookSeconds))"
        }
        let took = "in \(Quantities.duration(tookSeconds)) (\(Quantities.duration(loadSeconds)) to load)"
        return "\(palette.paint("reloaded", .good)): \(model), \(took)"
    }
}

/// What a reload changed, or would change.
protocol ChangedSections {
    var zones: ReloadReport.Changes { get }
    var nodes: ReloadReport.Changes { get }
    var pools: ReloadReport.Changes { get }
    var policies: ReloadReport.Changes { get }
    var tailored: ReloadReport.Changes { get }
    var settings: [String] { get }
    var database: Bool { get }
    var steering: Bool { get }
}

extension ReloadReport: ChangedSections {}
extension ReloadPreview: ChangedSections {}

extension ChangedSections {
    /// By section. Empty: nothing has changed.
    var changeLines: [String] {
        let sections = [
            ("zones", zones), ("nodes", nodes), ("pools", pools), ("policies", policies), ("tailored names", tailored),
        ]
        var lines = sections.flatMap { nouns, changes in changes.lines(nouns) }
        if !settings.isEmpty { lines.append("  settings changed: \(settings.joined(separator: ", "))") }
        if database { lines.append("  database changed") }
        if steering { lines.append("  candidate lists rebuilt") }
        return lines
    }
}

extension ReloadReport.Changes {
    /// - Parameter nouns: what they are, in the plural.
    fileprivate func lines(_ nouns: String) -> [String] {
        guard count > 0 else { return [] }
        let shown = [("added", added), ("removed", removed), ("changed", changed)].filter { !$0.1.isEmpty }
        var lines = shown.map { word, names in
            let few = names.prefix(8).joined(separator: " ").printable
            return "  \(nouns) \(word): \(few)\(names.count > 8 ? " …" : "")"
        }
        if count > 8 { lines.append("  \(Quantities.count(count)) of \(Quantities.count(total)) \(nouns) in all") }
        return lines
    }
}
