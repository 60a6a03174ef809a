public import ManagementTypes

extension NamesReport {
    /// For people: one name a line, and how many there are.
    public func text(_ palette: Palette) -> String {
        var table = TextTable([
            .left("name"), .left("kind"), .left("types"), .left("zone"), .left("pool"), .left("policy"),
            .right("steering"), .left("hash"),
        ])
        for name in names {
            table.add([
                .init(name.name, .strong), .init(name.kind), .init(name.types.joined(separator: " ")),
                .init(name.zone), .init(name.pool ?? ""), .init(name.policy ?? ""),
                .init(name.steeringTable.map(String.init) ?? ""), .init(name.hash, .faint),
            ])
        }
        var report = Report(palette)
        report.add(table)
        report.add("\(Quantities.count(names.count)) of \(Quantities.count(total)) names")
        return report.text
    }
}

extension LocationReport {
    /// For people: the place, and the way to it.
    public func text(_ palette: Palette) -> String {
        var report = Report(palette)
        report.add(
            .labelled([
                ("asked", prefix),
                ("leaf", leaf),
                ("scope", "/\(scope)"),
                ("place", place.text),
                ("number", "\(location)"),
            ]))
        if !steps.isEmpty { report.add("Steps", steps) }
        return report.text
    }
}

extension NodeTableReport {
    /// For people: one word a line.
    public func text(_ palette: Palette) -> String {
        var table = TextTable([
            .right("slot"), .left("node"), .left("word"), .left("state"), .right("share"), .right("TTL"),
            .right("version"),
        ])
        for node in nodes {
            table.add([
                "\(node.slot)", .init(node.node ?? "(free)", node.node == nil ? .faint : .strong),
                .init(node.word, .faint),
                .init(node.state.rawValue + (node.family.map { " (\($0))" } ?? ""), node.state.style),
                .init(Quantities.share(node.share)), .init(nodeTTL(node.ttl)), "\(node.version)",
            ])
        }
        var report = Report(palette)
        report.add(table)
        report.add("generation \(generation)")
        return report.text
    }
}

extension CountersReport {
    /// For people: every counter, those at zero too.
    public func text(_ palette: Palette) -> String {
        var report = Report(palette)
        let table = table(includingZero: true)
        if table.isEmpty { report.add("no counters") }
        report.add(table)
        return report.text
    }

    /// Counters of both paths side by side, the most frequent first; equals by name.
    func table(includingZero: Bool) -> TextTable {
        var table = TextTable([.left("counter"), .right("fast path"), .right("slow path")])
        let rows = Set(fastPath.keys).union(slowPath.keys).map { verdict in
            (verdict: verdict, sum: (fastPath[verdict] ?? 0).addingReportingOverflow(slowPath[verdict] ?? 0))
        }
        let weighed = rows.map { (verdict: $0.verdict, sum: $0.sum.overflow ? UInt64.max : $0.sum.partialValue) }
        let sorted = weighed.sorted { $0.sum != $1.sum ? $0.sum > $1.sum : $0.verdict < $1.verdict }
        for (verdict, sum) in sorted where includingZero || sum > 0 {
            let cells = [fastPath[verdict], slowPath[verdict]].map { count in
                TextTable.Cell(count.map { Quantities.count($0) } ?? "–", count ?? 0 == 0 ? .faint : .plain)
            }
            table.add([.init(verdict)] + cells)
        }
        return table
    }
}

extension AttachReport {
    /// For people: where the program is now.
    public func text(_ palette: Palette) -> String {
        var report = Report(palette)
        if isNowhere { report.add("the program is on no interface: user space answers everything") }
        report.add("Fast path", interfaces.table)
        return report.text
    }
}

extension DetachReport {
    /// For people: what was removed, or that there was nothing to remove.
    public func text(_ palette: Palette) -> String {
        var report = Report(palette)
        guard !interfaces.isEmpty || !removed.isEmpty else {
            report.add("nothing was attached or pinned")
            return report.text
        }
        if !interfaces.isEmpty {
            report.add("detached from \(interfaces.joined(separator: ", ")): user space answers now")
        }
        if !removed.isEmpty { report.add("Removed", removed) }
        return report.text
    }
}
