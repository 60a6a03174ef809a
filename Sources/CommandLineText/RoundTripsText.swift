public import ManagementTypes

extension RoundTripsReport {
    /// For people: learned times, and the connections behind them.
    public func text(_ palette: Palette) -> String {
        var report = Report(palette)
        report.add(
            .labelled([
                ("node", learning.node),
                ("ports", learning.ports.map(String.init).joined(separator: ", ")),
                ("file", learning.text),
                (
                    "connections",
                    "\(Quantities.count(counted)) counted, \(Quantities.count(unplaced)) of them without a location; "
                        + "\(Quantities.count(unmeasured)) without a time, \(Quantities.count(lost)) lost"
                ),
            ]))
        if let problem = learning.problem { report.add(problem, .bad) }
        var table = TextTable([.left("place"), .right("connections"), .right("median"), .right("in the file")])
        for place in places {
            table.add([
                .init(place.place, .strong), .init(Quantities.count(place.connections)), .init(time(place.median)),
                .init(time(place.published)),
            ])
        }
        report.add(table)
        return report.text
    }

    private func time(_ milliseconds: Double?) -> String { milliseconds.map { "\(tenths($0)) ms" } ?? "" }

    private func tenths(_ milliseconds: Double) -> String {
        let tenths = Int((milliseconds * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }

    /// Lines of a latency file: of each place the median of now, or what is in the file where there is none.
    public var csv: String {
        places.compactMap { place in
            (place.median ?? place.published).map { "\(place.place),\(learning.node),\(tenths($0))\n" }
        }.joined()
    }
}

extension LearningReport {
    /// `/var/lib/nearcast/rtt.csv, 12 places, written 2026-11-22 08:20:21 UTC`.
    var text: String {
        "\(file), \(Quantities.count(published)) \(published == 1 ? "place" : "places"), "
            + (writtenAt.map { "written \(Quantities.time($0))" } ?? "not written since the start")
    }
}
