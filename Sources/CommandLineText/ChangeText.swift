public import ManagementTypes

extension ChangeReport {
    private static let partsShown = 12
    private static let nodesShown = 12
    private static let movesShown = 5

    /// For people: what would change, who moves, what has to be accepted, and how to go on.
    public func text(_ palette: Palette) -> String {
        var lines = [palette.paint("change \(number) by \(author): \(state.rawValue)".printable, .strong)]
        if let reason { lines.append("  \(reason)".printable) }
        if let plan { lines += Self.lines(plan, palette) }
        for one in guards {
            let line = "guard \(one.name): \(one.measure)".printable
            lines.append(state == .planned ? palette.paint(line, .warning) : line)
        }
        lines.append(end.printable)
        return lines.joined(separator: "\n") + "\n"
    }

    private var end: String {
        switch state {
        case .planned: next(plan)
        case .applying: "it is being applied"
        case .applied: "applied by \(closedBy ?? ""): epoch \(epoch ?? 0)"
        case .stale: "what is served, or the files, changed since: plan it again"
        case .withdrawn: "withdrawn by \(closedBy ?? "")"
        }
    }

    /// The command that goes on.
    private func next(_ plan: Plan?) -> String {
        if let plan, !plan.changes.changed { return "nothing would change" }
        if let plan, !plan.changes.problems.isEmpty { return "correct the problems above, and plan it again" }
        let accepted = guards.map { " --accept \($0.name)" }.joined()
        return "apply it with: nearcast apply \(number)\(accepted)"
    }

    private static func lines(_ plan: Plan, _ palette: Palette) -> [String] {
        var lines = plan.changes.text(palette).split(separator: "\n").map(String.init)
        lines += plan.effect.prefix(partsShown).flatMap { self.lines($0, palette) }
        if plan.effect.count > partsShown {
            lines.append("… \(plan.effect.count - partsShown) more groups of names: see --json")
        }
        if plan.changes.changed, plan.unmeasured.isEmpty, !plan.effect.contains(where: { $0.moved > 0 }) {
            lines.append("no client of a tailored name gets another node")
        }
        if !plan.unmeasured.isEmpty {
            lines.append("not measured: \(listed(plan.unmeasured))".printable)
        }
        if !plan.readdressed.isEmpty { lines.append("other addresses: \(listed(plan.readdressed))".printable) }
        return lines
    }

    /// The first few.
    private static func listed(_ names: [String]) -> String {
        names.prefix(8).joined(separator: ", ") + (names.count > 8 ? " and \(names.count - 8) more" : "")
    }

    private static func lines(_ effect: Effect, _ palette: Palette) -> [String] {
        let more = effect.count - 1
        let others = more > 0 ? " and \(Quantities.count(more)) more \(more == 1 ? "name" : "names")" : ""
        let cut = effect.cut > 0 ? ", \(Quantities.part(effect.cut)) lose their answer" : ""
        let moved = "\(Quantities.part(effect.moved)) of the clients move\(cut)"
        var lines = [palette.paint("\(effect.names.first ?? "")\(others) \(effect.type): \(moved)".printable, .strong)]
        guard effect.moved > 0 else { return lines }
        var table = TextTable([.left("node"), .right("share"), .right("then")])
        // What rounds to no change is in the JSON.
        let changed = effect.nodes.filter { Quantities.part($0.before) != Quantities.part($0.after) }
            .sorted { abs($0.after - $0.before) > abs($1.after - $1.before) }
        for node in changed.prefix(nodesShown) {
            table.add([
                TextTable.Cell(node.node), TextTable.Cell(Quantities.part(node.before)),
                TextTable.Cell(Quantities.part(node.after)),
            ])
        }
        lines += table.lines(palette).map { "  \($0)" }
        if changed.count > nodesShown { lines.append("  … \(changed.count - nodesShown) more nodes") }
        for move in effect.moves.prefix(movesShown) {
            let ends = "\(move.from ?? "no answer") to \(move.to ?? "no answer")"
            lines.append("  \(ends): \(Quantities.part(move.share))".printable)
        }
        if let before = effect.before.mean, let after = effect.after.mean {
            lines.append("  mean distance \(Quantities.kilometres(before)), then \(Quantities.kilometres(after))")
        }
        return lines
    }
}

extension [ChangeReport] {
    /// For people: one line a change, the latest first.
    public func text(_ palette: Palette) -> String {
        guard !isEmpty else { return "no changes were planned since the daemon started\n" }
        var report = Report(palette)
        var table = TextTable([.right("change"), .left("state"), .left("planned"), .left("by"), .left("guards")])
        for change in self {
            table.add([
                TextTable.Cell("\(change.number)"), TextTable.Cell(change.state.rawValue),
                TextTable.Cell(Quantities.time(change.plannedAt)),
                TextTable.Cell(change.author),
                TextTable.Cell(change.guards.map(\.name).joined(separator: " ")),
            ])
        }
        report.add(table)
        return report.text
    }
}
