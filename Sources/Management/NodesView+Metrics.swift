import CFastPathABI
import ControlPlane
import Health
import HealthChecks
import ManagementTypes
import Steering
import Telemetry
import VisibleText

/// Metrics of the nodes.
extension NodesView {
    var metrics: [MetricSample] {
        var samples = [
            MetricSample(
                "nearcast_nodes_held", .gauge,
                help: "Failing nodes kept in rotation by mass-failure protection.",
                value: Double(fleet.held.count)),
            MetricSample(
                "nearcast_windows_held", .gauge,
                help: "Nodes whose maintenance waits because they are the last usable ones of a pool.",
                value: Double(fleet.heldWindows.count)),
        ]
        samples += reportedMetrics + observerMetrics
        for pool in fleet.pools {
            samples.append(
                MetricSample(
                    "nearcast_pool_usable_nodes", .gauge, help: "Usable nodes of a pool.",
                    labels: ["pool": pool.id], value: Double(fleet.usable(in: pool))))
            samples += pool.nodes.map { node in
                MetricSample(
                    "nearcast_pool_member", .gauge, help: "1 for each node of a pool.",
                    labels: ["pool": pool.id, "node": node], value: 1)
            }
        }
        return samples + shareMetrics + stateMetrics
    }

    private var observerMetrics: [MetricSample] {
        guard observers.areSeveral else { return [] }
        let now = Moment.now
        let (heard, cutOff) = (observers.heard(at: now), observers.cutOff(at: now))
        return observers.points.map { point in
            MetricSample(
                "nearcast_observer_heard", .gauge,
                help: "1: the vantage point counts; 0: it is silent; -1: it is considered cut off.",
                labels: ["observer": Observers.name(point)],
                value: heard.contains(point) ? 1 : cutOff.contains(point) ? -1 : 0)
        }
    }

    private var reportedMetrics: [MetricSample] {
        entries.values.sorted { NaturalOrder.precedes($0.node.id, $1.node.id) }.flatMap { entry -> [MetricSample] in
            guard let metrics = entry.reported else { return [] }
            func sample(_ name: String, _ help: String, _ value: Double?) -> MetricSample? {
                value.map { MetricSample(name, .gauge, help: help, labels: ["node": entry.node.id], value: $0) }
            }
            return [
                sample("nearcast_node_reported_load", "Load that the node reported last.", metrics.load),
                sample("nearcast_node_reported_capacity", "Capacity that the node reported last.", metrics.capacity),
                sample(
                    "nearcast_node_reported_connections", "Connections that the node reported last.",
                    metrics.connections.map { Double($0) }),
                sample(
                    "nearcast_node_reported_age_seconds", "Seconds since the node's last report.",
                    Double(Moment.now - metrics.at) / 1_000),
            ].compactMap(\.self)
        }
    }

    private var shareMetrics: [MetricSample] {
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
        for id in fleet.loads.keys.sorted(by: NaturalOrder.precedes) {
            guard let use = shares(of: id)?.use else { continue }
            samples.append(
                MetricSample(
                    "nearcast_node_load_ratio", .gauge, help: "Last reported load of a node by its capacity.",
                    labels: ["node": id], value: use / 100))
        }
        return samples
    }

    private var stateMetrics: [MetricSample] {
        reports().flatMap { node in
            [
                MetricSample(
                    "nearcast_node_share_ratio", .gauge, help: "Share of its clients that a node takes, 0 to 1.",
                    labels: ["node": node.id], value: Double(node.share) / 256),
                MetricSample(
                    "nearcast_node_usable", .gauge, help: "Whether a node may be answered: 1 or 0.",
                    labels: ["node": node.id], value: node.state.isUsable ? 1 : 0),
            ]
                + (node.families ?? []).map { one in
                    MetricSample(
                        "nearcast_node_family_usable", .gauge,
                        help: "Whether a node may be answered over a family, where checks tell them apart: 1 or 0.",
                        labels: ["node": node.id, "family": one.family], value: one.state.isUsable ? 1 : 0)
                }
                // One-hot, so that no series comes or goes with a change of state.
                + NodeState.allCases.map { state in
                    MetricSample(
                        "nearcast_node_state", .gauge, help: "1 for the state of a node, 0 for the others.",
                        labels: ["node": node.id, "state": state.rawValue], value: node.state == state ? 1 : 0)
                }
        }
    }
}
