public import ControlAPI

extension StatusReport {
    /// For people.
    public func text(_ palette: Palette) -> String {
        var report = Report(palette)
        report.add(
            .labelled([
                ("daemon", "nearcastd \(version), pid \(pid), up \(Quantities.duration(uptimeSeconds))"),
                ("started", Quantities.time(startedAt)),
                ("listening", listen.joined(separator: ", ")),
                ("model", "epoch \(epoch), digest \(digest)"),
                ("tables", "generation \(generation), layout \(layoutVersion)"),
                ("nodes", nodes.text),
                ("geo", geo?.text ?? "no database: every client is of unknown place"),
            ]))
        if fastPath.isEmpty {
            report.add("Fast path: switched off in the configuration, user space answers everything")
        } else {
            report.add("Fast path", fastPathTable)
        }
        let counts = counters.table(includingZero: false)
        if counts.isEmpty {
            report.add("Messages: none yet")
        } else {
            report.add("Messages", counts)
        }
        if !memory.isEmpty { report.add("Memory", memoryTable) }
        return report.text
    }

    private var fastPathTable: TextTable {
        var table = TextTable([.left("interface"), .left("mode"), .right("program"), .left("tag"), .left("reason")])
        for entry in fastPath {
            let style: TextStyle =
                switch entry.mode {
                case .native: .good
                case .generic: .warning
                case .off: .bad
                }
            table.add([
                .init(entry.interface), .init(entry.mode.rawValue, style),
                .init(entry.programID.map(String.init) ?? ""), .init(entry.tag ?? ""), .init(entry.reason ?? ""),
            ])
        }
        return table
    }

    private var memoryTable: TextTable {
        var table = TextTable([.left("table"), .right("size")])
        for entry in memory { table.add([.init(entry.table), .init(Quantities.bytes(entry.bytes))]) }
        let total = memory.reduce(UInt64(0)) { $0 &+ $1.bytes }
        table.add([.init("total", .strong), .init(Quantities.bytes(total), .strong)])
        return table
    }
}

extension NodeCounts {
    /// `20: 18 up, 1 down, 1 drained`, states in a fixed order.
    var text: String {
        let order = NodeState.allCases.map(\.rawValue)
        let states = order + byState.keys.filter { !order.contains($0) }.sorted()
        let parts = states.compactMap { state in
            byState[state].flatMap { $0 > 0 ? "\(Quantities.count($0)) \(state)" : nil }
        }
        return Quantities.count(total) + (parts.isEmpty ? "" : ": \(parts.joined(separator: ", "))")
    }
}

extension GeoReport {
    var text: String {
        "\(database), built \(Quantities.time(builtAt).prefix(10)), \(Quantities.count(networks)) networks, "
            + "\(Quantities.count(locations)) places, read in \(Quantities.duration(loadSeconds))"
    }
}
