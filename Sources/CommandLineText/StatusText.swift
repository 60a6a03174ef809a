public import ManagementTypes

extension StatusReport {
    /// For people.
    public func text(_ palette: Palette) -> String {
        var report = Report(palette)
        report.add(
            .labelled([
                ("daemon", "nearcastd \(version), pid \(pid), up \(Quantities.duration(uptimeSeconds))"),
                ("started", Quantities.time(startedAt)),
                ("listening", listen.joined(separator: ", ")),
                ("not here", absentAddresses.map { "\($0.joined(separator: ", ")): served once this host has it" }),
                ("model", "epoch \(epoch), digest \(digest)"),
                ("tables", "generation \(generation), layout \(layoutVersion)"),
                ("overlay", overlay?.text),
                ("nodes", nodes.text),
                ("geo", geo?.text ?? "no database: every client's location is unknown"),
                ("switches", switches?.joined(separator: "; ")),
                ("clients", limits?.text),
                ("round trips", learning.map { $0.problem ?? $0.text }),
            ]))
        if !zones.zones.isEmpty { report.add(zones.heading, zones.table) }
        if let aliases { report.add("Aliases", aliases.table) }
        if let regions { report.add("Regions", regions.table) }
        report.add(reloads.text)
        if reloads.lastIsRefused == true { report.add("The last reload was refused", reloads.problems) }
        if fastPath.isEmpty {
            report.add("Fast path: off in the configuration; user space answers everything")
        } else {
            report.add("Fast path", fastPath.table)
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

    private var memoryTable: TextTable {
        var table = TextTable([.left("table"), .right("size")])
        for entry in memory { table.add([.init(entry.table), .init(Quantities.bytes(entry.bytes))]) }
        let total = memory.reduce(UInt64(0)) { $0 &+ $1.bytes }
        table.add([.init("total", .strong), .init(Quantities.bytes(total), .strong)])
        return table
    }
}

extension AliasReport {
    /// At most a dozen addresses: a target may have thousands.
    fileprivate var addressText: String {
        guard !addresses.isEmpty else { return "none" }
        let shown = addresses.prefix(12)
        let more = max(addressCount ?? 0, addresses.count) - shown.count
        return shown.joined(separator: ", ") + (more > 0 ? " and \(Quantities.count(UInt64(more))) more" : "")
    }
}

extension [AliasReport] {
    fileprivate var table: TextTable {
        var table = TextTable([
            .left("alias"), .left("target"), .left("addresses"), .left("looked up"), .left("problem"),
        ])
        for alias in self {
            table.add([
                .init(alias.name, .strong), .init(alias.target),
                .init(alias.addressText),
                .init(alias.confirmedAt.map(Quantities.time) ?? "not yet"), .init(alias.problem ?? "", .bad),
            ])
        }
        return table
    }
}

extension [InterfaceReport] {
    var table: TextTable {
        var table = TextTable([.left("interface"), .left("mode"), .right("program"), .left("tag"), .left("reason")])
        for entry in self {
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
            if let lost = entry.unsent?.lastMinute, lost > 0 {
                table.add([
                    .init(""), .init(""), .init(""), .init(""),
                    .init("\(Quantities.count(lost)) replies did not leave it in the last minute", .bad),
                ])
            }
        }
        return table
    }
}

extension OverlayReport {
    /// `3 of 16,383 names and shared replies changed since, 1 KiB of 3 MiB`; nil for none.
    fileprivate var text: String? {
        guard changed > 0 else { return nil }
        return "\(Quantities.count(changed)) of \(Quantities.count(limit)) names and shared replies changed since, "
            + "\(Quantities.bytes(bytes)) of \(Quantities.bytes(room))"
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
        let halves = divided > 0 ? ["of these \(Quantities.count(divided)) over one family only"] : []
        return Quantities.count(total) + (parts.isEmpty ? "" : ": \((parts + halves).joined(separator: ", "))")
    }
}

extension ZonesReport {
    /// Lines that are shown to people.
    private static let shown = 20

    fileprivate var heading: String {
        let rest = total > Self.shown ? ": those with problems, then the latest" : ""
        return "Zones: \(Quantities.count(total)), \(Quantities.count(records)) records\(rest)"
    }

    fileprivate var table: TextTable {
        var table = TextTable([
            .left("zone"), .right("serial"), .right("records"), .right("changed"), .left("loaded"), .left("problem"),
        ])
        let ordered =
            total > Self.shown
            ? zones.filter { $0.problem != nil }
                + zones.filter { $0.problem == nil }.sorted { $0.loadedAt > $1.loadedAt } : zones
        for zone in ordered.prefix(Self.shown) {
            table.add([
                .init(zone.origin, .strong), .init("\(zone.serial)"), .init(Quantities.count(zone.records)),
                .init(zone.changed.map { Quantities.count($0) } ?? ""), .init(Quantities.time(zone.loadedAt)),
                .init(zone.problem ?? "", .bad),
            ])
        }
        return table
    }
}

extension ReloadsReport {
    fileprivate var text: String {
        let watching =
            switch watch {
            case .apply: "files are watched"
            case .ignore: "files are not watched"
            case .propose: "changed files are proposed: see `nearcast changes`"
            }
        guard let lastAt else { return "Reloads: none yet, \(watching)" }
        let counts = [("changed", changed), ("unchanged", unchanged), ("refused", refused)].filter { $0.1 > 0 }
            .map { "\(Quantities.count($0.1)) \($0.0)" }.joined(separator: ", ")
        return "Reloads: \(counts), the last \(Quantities.time(lastAt)); \(watching)"
    }
}

extension GeoReport {
    var text: String {
        "\(database), built \(Quantities.time(builtAt).prefix(10)), \(Quantities.count(networks)) networks, "
            + "\(Quantities.count(locations)) places, read in \(Quantities.duration(loadSeconds))"
            + (problem.map { "; not loaded: \($0)" } ?? "") + (warning.map { "; \($0)" } ?? "")
    }
}

extension LimitsReport {
    /// `at most 1024 tcp, 1024 tls, 64 control connections, 590 MiB; 65536 descriptors: 320 for the daemon, 8192 for probes`
    fileprivate var text: String {
        let order = ["tcp", "tls", "reports", "metrics", "control"]
        let counts = order.compactMap { name in connections[name].map { "\($0) \(name)" } }.joined(separator: ", ")
        return "at most \(counts) connections, \(bytes >> 20) MiB; \(descriptors) descriptors: "
            + "\(ownDescriptors) for the daemon, \(probeDescriptors) for probes"
    }
}
