import FoundationEssentials
public import ManagementTypes
import VisibleText

extension [NodeReport] {
    /// For people: one node a line.
    public func text(_ palette: Palette) -> String {
        var table = TextTable([
            .left("node"), .left("state"), .right("share"), .right("TTL"), .left("place"), .left("addresses"),
            .left("changed"), .left("by"),
        ])
        for node in self {
            table.add([
                .init(node.id, .strong), .init(node.stateText, node.isDivided ? .warning : node.state.style),
                .init(Quantities.share(node.share)), .init(nodeTTL(node.ttl)), .init(node.location?.text ?? ""),
                .init(node.destination), .init(node.changedAt.map(Quantities.time) ?? ""),
                .init(node.setBy ?? node.shareReason ?? ""),
            ])
        }
        var report = Report(palette)
        if isEmpty { report.add("no nodes") }
        report.add(table)
        return report.text
    }
}

extension NodeReport {
    /// Where answers lead.
    fileprivate var destination: String { provider ?? addresses.joined(separator: ", ") }

    /// For people: all of one node.
    public func text(_ palette: Palette) -> String {
        var report = Report(palette)
        report.add(
            .labelled([
                ("node", id),
                ("state", state.rawValue),
                ("share", Quantities.share(share)),
                ("TTL", nodeTTL(ttl)),
                ("slow start", slowStartText),
                ("load", shares?.loadText),
                ("region", shares?.regionText),
                ("provider", provider),
                ("addresses", addresses.isEmpty ? nil : addresses.joined(separator: ", ")),
                ("place", location?.text),
                ("slot", "\(slot), version \(version)"),
                ("changed", changedAt.map(Quantities.time) ?? "not since the start"),
                ("by", setBy),
                ("decided by", authority),
                ("until", until.map(Quantities.time)),
                ("observers", observersText),
                ("held since", heldSince.map { "\(Quantities.time($0)): mass-failure protection" }),
            ]))
        if let families, families.count > 1 { report.add("Families", families.table) }
        if let reported { report.add("Reported", reported.table) }
        if let windows { report.add("Maintenance", windows.table) }
        if let checks { report.add("Checks", checks.table) }
        return report.text
    }

    /// Whether clients are sent to it over one family only.
    fileprivate var isDivided: Bool { Set((families ?? []).map(\.state.isUsable)).count > 1 }

    /// `up`, or `up (IPv6 down)`.
    fileprivate var stateText: String {
        let others = (families ?? []).filter { $0.state != state }.map { "\($0.family) \($0.state.rawValue)" }
        return others.isEmpty ? state.rawValue : "\(state.rawValue) (\(others.joined(separator: ", ")))"
    }

    /// For people, after a change: `fra1 is drained; packets have seen it after 35 µs`.
    public var changeText: String {
        let now = Date()
        if let window = windows?.filter({ $0.begins > now }).max(by: { $0.begins < $1.begins }), authority != "person" {
            return
                "\(id.printable) is \(state.rawValue); maintenance is planned from \(Quantities.time(window.begins)) to "
                + "\(Quantities.time(window.ends))\n"
        }
        let took = tookMicroseconds.map { "; packets saw it after \(Quantities.duration($0 / 1e6))" } ?? ""
        let start = remainingStart(at: now).map {
            " with \(Quantities.share(share)) of its clients, all of them in \($0)"
        }
        return "\(id.printable) is \(state.rawValue)\(start ?? "")\(took)\n"
    }

    private var observersText: String? {
        observed.map { points in
            points.sorted { NaturalOrder.precedes($0.key, $1.key) }.map { "\($0.key) \($0.value)" }
                .joined(separator: ", ")
        }
    }

    private var slowStartText: String? {
        remainingStart().map { "the share grows for \($0), then the node has all its clients" }
    }

    /// How long slow start still takes: `58 s`.
    fileprivate func remainingStart(at now: Date = Date()) -> String? {
        fullShareAt.flatMap { $0 > now ? Quantities.span($0.timeIntervalSince(now)) : nil }
    }
}

extension NodesStateReport {
    /// For people: `40 nodes (38 changed): 40 drained; packets saw it after 90 µs`.
    public var text: String {
        var counts: [NodeState: Int] = [:]
        for node in nodes { counts[node.state, default: 0] += 1 }
        let states = NodeState.allCases.compactMap { state in counts[state].map { "\($0) \(state.rawValue)" } }
        let now = Date()
        let starts = nodes.compactMap(\.fullShareAt).map { $0.timeIntervalSince(now) }.filter { $0 > 0 }
        let start = starts.max().map {
            "; slow start of \(starts.count): full shares in \(Quantities.span($0))"
        }
        return
            "\(nodes.count) nodes (\(changed) changed): \(states.joined(separator: ", ")); packets saw it after "
            + "\(Quantities.duration(tookMicroseconds / 1e6))\(start ?? "")\n"
    }
}

extension [NodeFamilyReport] {
    fileprivate var table: TextTable {
        var table = TextTable([.left("family"), .left("state"), .right("share"), .right("TTL"), .left("held since")])
        for one in self {
            table.add([
                .init(one.family), .init(one.state.rawValue, one.state.style), .init(Quantities.share(one.share)),
                .init(nodeTTL(one.ttl)), .init(one.heldSince.map(Quantities.time) ?? ""),
            ])
        }
        return table
    }
}

extension [WindowReport] {
    fileprivate var table: TextTable {
        var table = TextTable([.left("begins"), .left("ends"), .left("by")])
        for window in self {
            table.add([
                .init(Quantities.time(window.begins)), .init(Quantities.time(window.ends)),
                .init(window.setBy + (window.held == true ? " (waiting: last usable node of a pool)" : "")),
            ])
        }
        return table
    }
}

extension [NodeCheckReport] {
    fileprivate var table: TextTable {
        var table = TextTable([
            .left("check"), .left("verdict"), .left("against"), .left("last result"), .right("took"), .left("when"),
        ])
        for check in self {
            let style: TextStyle = check.verdict == "up" ? .good : check.verdict == "down" ? .bad : .warning
            table.add([
                .init(check.check), .init(check.verdict, style),
                .init("\(check.contrary) of \(check.verdict == "down" ? check.rise : check.fall)"),
                check.lastResult,
                .init(check.tookMicroseconds.map { Quantities.duration($0 / 1e6) } ?? ""),
                .init(check.checkedAt.map(Quantities.time) ?? ""),
            ])
        }
        return table
    }
}

extension NodeCheckReport {
    /// What was seen last. Where this host could not ask, the verdict is older.
    fileprivate var lastResult: TextTable.Cell {
        guard let evidence else { return .init("") }
        return result == "unasked" ? .init("could not ask: \(evidence)", .warning) : .init(evidence)
    }
}

extension ReportedMetrics {
    fileprivate var table: TextTable {
        var peers: String? {
            self.peers.map { peers in
                peers.sorted { NaturalOrder.precedes($0.key, $1.key) }.prefix(8)
                    .map { "\($0.key) \(Quantities.duration($0.value / 1e3))" }.joined(separator: ", ")
            }
        }
        return .labelled([
            ("load", load.map { "\($0)" + (capacity.map { " of \($0)" } ?? "") }),
            ("capacity", load == nil ? capacity.map { "\($0)" } : nil),
            ("connections", connections.map { "\($0)" }),
            ("peers", peers),
            ("reported", "\(Quantities.duration(ageSeconds)) ago"),
        ])
    }
}

extension StatementReceipt {
    /// For people: `fra1 is down by external, for 60 s`.
    public var text: String {
        let length = validSeconds.map { ", for \($0) s" } ?? ""
        let unknown =
            (ignored ?? []).isEmpty ? "" : "ignored, unknown here: \((ignored ?? []).joined(separator: ", "))\n"
        return "\(node.printable) is \(state.rawValue) by \(authority)\(length)\n\(unknown)"
    }
}
