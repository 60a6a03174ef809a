public import ManagementTypes

extension ReloadReport {
    /// For people: what changed, and what could not be taken over.
    public func text(_ palette: Palette) -> String {
        var lines = [summary(palette)]
        for (noun, changes) in [("zone", zones), ("node", nodes), ("tailored name", tailored)] {
            lines += changes.lines(noun)
        }
        if database { lines.append("  another database is in use") }
        if settings {
            lines.append("  identity, cookies, rate limit, switches of the fast path or health are as configured now")
        }
        if let fastPathReason { lines.append("  the program was replaced: \(fastPathReason)") }
        lines += problems.map { palette.paint("\($0): the version before serves on".printable, .bad) }
        return lines.joined(separator: "\n") + "\n"
    }

    private func summary(_ palette: Palette) -> String {
        let model = "epoch \(epoch), digest \(digest)"
        guard changed || settings else {
            return "nothing has changed: \(model), looked up in \(Quantities.duration(tookSeconds))"
        }
        let took = "in \(Quantities.duration(tookSeconds)), of which \(Quantities.duration(loadSeconds)) to load"
        return "\(palette.paint("reloaded", .good)): \(model), \(took)"
    }
}

extension ReloadReport.Changes {
    fileprivate func lines(_ noun: String) -> [String] {
        guard count > 0 else { return [] }
        let shown = [("added", added), ("removed", removed), ("changed", changed)].filter { !$0.1.isEmpty }
        var lines = shown.map { word, names in
            let few = names.prefix(8).joined(separator: " ").printable
            return "  \(noun)s \(word): \(few)\(names.count > 8 ? " …" : "")"
        }
        if count > 8 { lines.append("  \(Quantities.count(count)) of \(Quantities.count(total)) \(noun)s in all") }
        return lines
    }
}
