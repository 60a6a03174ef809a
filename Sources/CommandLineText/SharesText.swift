import ManagementTypes

extension NodeReport {
    /// Why the share is less than the whole: `slow start`, `load 95 %, region europe`.
    var shareReason: String? {
        if fullShareAt != nil, state == .up { return "slow start" }
        guard let shares, state == .degraded else { return nil }
        let load = shares.load < 256 ? "load" + (shares.use.map { " \(Quantities.percent($0))" } ?? "") : nil
        let region = shares.region < 256 ? shares.regionID.map { "region \($0)" } : nil
        let reasons = [load, region].compactMap(\.self)
        return reasons.isEmpty ? nil : reasons.joined(separator: ", ")
    }
}

extension NodeSharesReport {
    /// `95 % of its capacity: leaves 80 % of the share`.
    var loadText: String? {
        guard let shedAbove else { return nil }
        guard let use else { return "none reported; sheds above \(shedAbove) % of its capacity" }
        let limit = load < 256 ? "leaves \(Quantities.share(load)) of the share" : "sheds above \(shedAbove) %"
        return "\(Quantities.percent(use)) of its capacity: \(limit)"
    }

    /// `europe: leaves 75 % of the share`.
    var regionText: String? {
        regionID.map { region < 256 ? "\($0): leaves \(Quantities.share(region)) of the share" : $0 }
    }
}

extension [RegionReport] {
    /// One region a line.
    var table: TextTable {
        var table = TextTable([
            .left("region"), .left("state"), .right("nodes"), .right("healthy"), .right("threshold"), .right("share"),
        ])
        for region in self {
            let isDegraded = region.share < 256
            table.add([
                .init(region.id, .strong), .init(isDegraded ? "degraded" : "whole", isDegraded ? .warning : .good),
                .init("\(region.nodes)"), .init(Quantities.part(region.healthy)), .init("\(region.threshold) %"),
                .init(Quantities.share(region.share)),
            ])
        }
        return table
    }
}
