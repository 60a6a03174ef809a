public import ControlAPI

extension [NodeReport] {
    /// For people: one node a line.
    public func text(_ palette: Palette) -> String {
        var table = TextTable([
            .left("node"), .left("state"), .right("share"), .right("TTL"), .left("place"), .left("addresses"),
            .left("changed"), .left("by"),
        ])
        for node in self {
            table.add([
                .init(node.id, .strong), .init(node.state.rawValue, node.state.style),
                .init(Quantities.share(node.share)), .init(nodeTTL(node.ttl)), .init(node.location.text),
                .init(node.addresses.joined(separator: ", ")), .init(node.changedAt.map(Quantities.time) ?? ""),
                .init(node.setBy ?? ""),
            ])
        }
        var report = Report(palette)
        if isEmpty { report.add("no nodes") }
        report.add(table)
        return report.text
    }
}

extension NodeReport {
    /// For people: all of one node.
    public func text(_ palette: Palette) -> String {
        var report = Report(palette)
        report.add(
            .labelled([
                ("node", id),
                ("state", state.rawValue),
                ("share", Quantities.share(share)),
                ("TTL", nodeTTL(ttl)),
                ("addresses", addresses.joined(separator: ", ")),
                ("place", location.text),
                ("slot", "\(slot), version \(version)"),
                ("changed", changedAt.map(Quantities.time) ?? "not since the start"),
                ("by", setBy),
            ]))
        return report.text
    }

    /// For people, after a change: `fra1 is drained; packets have seen it after 35 µs`.
    public var changeText: String {
        let took = tookMicroseconds.map { "; packets saw it after \(Quantities.duration($0 / 1e6))" } ?? ""
        return "\(id.printable) is \(state.rawValue)\(took)\n"
    }
}
