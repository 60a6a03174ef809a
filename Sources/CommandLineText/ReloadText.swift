public import ManagementTypes

extension ReloadReport {
    /// For people: what changed, and what could not be loaded.
    public func text(_ palette: Palette) -> String {
        var lines = [summary(palette)]
        for (nouns, changes) in [("zones", zones), ("nodes", nodes), ("tailored names", tailored)] {
            lines += changes.lines(nouns)
        }
        if database { lines.append("  database changed") }
        if settings {
            lines.append("  settings changed: identity, cookies, rate limit, fast-path switches or health")
        }
        if let fastPathReason { lines.append("  the program was replaced: \(fastPathReason)") }
        lines += problems.map { palette.paint("\($0): the previous version stays in use".printable, .bad) }
        return lines.joined(separator: "\n") + "\n"
    }

    private func summary(_ palette: Palette) -> String {
        let model = "epoch \(epoch), digest \(digest)"
        guard changed || settings else {
            return "nothing changed: \(model), checked in \(Quantities.duration(tookSeconds))"
        }
        let took = "in \(Quantities.duration(tookSeconds)) (\(Quantities.duration(loadSeconds)) to load)"
        return "\(palette.paint("reloaded", .good)): \(model), \(took)"
    }
}

extension ReloadReport.Changes {
    /// - Parameter nouns: what they are, in the plural.
    func lines(_ nouns: String) -> [String] {
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
