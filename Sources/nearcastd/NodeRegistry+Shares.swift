import CFastPathABI
import Health
import ManagementTypes
import Telemetry

/// What load and regions do to shares.
extension NodeRegistry {
    /// A node has told how busy it is. Shares follow with the next tick.
    func take(_ metrics: NodeMetrics, of id: String) {
        guard entries[id] != nil else { return }
        entries[id]?.reported = metrics
        LoadSample(metrics).map { fleet.take($0, of: id) }
    }

    var regionReports: [RegionReport] {
        zip(fleet.regions, fleet.standings).map { region, standing in
            RegionReport(
                id: region.id, nodes: region.members.count, healthy: standing.healthy, threshold: region.threshold,
                share: standing.share)
        }
    }

    /// `nil` where neither load nor a region has a say.
    func shares(of id: String) -> NodeSharesReport? {
        guard let node = fleet.nodes[id] else { return nil }
        let region = fleet.region(of: id)
        guard node.rules.load != nil || region != nil else { return nil }
        return NodeSharesReport(
            health: node.base.share, load: node.limits.load, region: node.limits.region,
            use: node.rules.load.flatMap { fleet.loads[id]?.use($0) }, shedAbove: node.rules.load?.shedAbove,
            regionID: region?.region.id)
    }

    var shareMetrics: [MetricSample] {
        let full = Double(NC_SHARE_FULL)
        var samples: [MetricSample] = []
        for region in regionReports {
            samples += [
                MetricSample(
                    "nearcast_region_healthy_ratio", .gauge, help: "Part of a region's capacity that is healthy.",
                    labels: ["region": region.id], value: region.healthy),
                MetricSample(
                    "nearcast_region_share_ratio", .gauge,
                    help: "Part of their clients that the region's nodes keep; below 1 it is degraded.",
                    labels: ["region": region.id], value: Double(region.share) / full),
            ]
        }
        for id in fleet.loads.keys.sorted() {
            guard let use = shares(of: id)?.use else { continue }
            samples.append(
                MetricSample(
                    "nearcast_node_load_ratio", .gauge, help: "Load of a node by its capacity, as reported last.",
                    labels: ["node": id], value: use / 100))
        }
        return samples
    }
}
