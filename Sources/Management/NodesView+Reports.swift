import CFastPathABI
import ControlPlane
import Foundation
import Health
import HealthChecks
import IPNetworks
import Location
import ManagementTypes
import StateStore
import Steering
import VisibleText

/// Nodes, as the API shows them.
extension NodesView {
    /// All nodes, in natural order of their ids.
    func reports() -> [NodeReport] {
        entries.values.sorted { NaturalOrder.precedes($0.node.id, $1.node.id) }.map(report)
    }

    func report(_ entry: NodeEntry) -> NodeReport {
        let node = entry.node
        let word = word(of: entry)
        let health = fleet.nodes[node.id]
        let claim = health?.claim(at: .now)
        let windows = (health?.claims ?? []).compactMap { claim -> WindowReport? in
            guard let begins = claim.begins, let ends = claim.ends else { return nil }
            let isHeld = health?.windowHeldSince != nil && !claim.hasBegun && begins <= .now
            return WindowReport(
                begins: begins.date.wholeSecond, ends: ends.date.wholeSecond, setBy: claim.author,
                held: isHeld ? true : nil)
        }
        let checks = health.map { health in
            zip(health.rules.checks, health.records).map { Self.report($0, $1, entry.results[$0]) }
        }
        let families = (health?.families ?? []).compactMap { one in
            one.family.map { report(entry, one, $0) }
        }
        return NodeReport(
            id: node.id, state: state(of: entry), share: Int(nc_word_share(word)), ttl: nc_word_ttl(word),
            addresses: [node.address(.v4), node.address(.v6)].compactMap { $0?.description },
            location: node.isLocated
                ? NodeLocation(
                    latitude: Double(node.coordinates.latitude) / 1e6,
                    longitude: Double(node.coordinates.longitude) / 1e6, region: node.region, country: node.country,
                    continent: node.continent) : nil,
            slot: UInt32(node.slot), version: nc_word_version(word), changedAt: entry.changedAt, setBy: entry.setBy,
            authority: health.map { "\($0.authority)" }, until: claim?.ends?.date,
            windows: windows.isEmpty ? nil : windows, checks: checks?.isEmpty ?? true ? nil : checks,
            heldSince: health?.heldSince?.date, reported: entry.reported.map { ReportedMetrics($0) },
            observed: families.isEmpty ? observers.seen(of: Observers.Subject(node.id), at: .now) : nil,
            shares: shares(of: node.id), families: families.isEmpty ? nil : families,
            provider: node.provider, fullShareAt: health?.fullShareAt?.date)
    }

    /// As people see it: `held`, where mass-failure protection keeps the node in rotation.
    func state(of entry: NodeEntry) -> NodeState {
        let state = NodeState(word: word(of: entry))
        guard state == .up || state == .degraded, let health = fleet.nodes[entry.node.id] else { return state }
        return NodeState(health) == .held ? .held : state
    }

    private func report(_ entry: NodeEntry, _ health: FamilyHealth, _ family: IPFamily) -> NodeFamilyReport {
        let word = word(of: entry, family)
        return NodeFamilyReport(
            family: family.name, state: health.isHeld ? .held : NodeState(word: word), share: Int(nc_word_share(word)),
            ttl: nc_word_ttl(word), heldSince: health.heldSince?.date,
            observed: observers.seen(of: Observers.Subject(entry.node.id, family), at: .now))
    }

    private static func report(_ check: Check, _ record: CheckRecord, _ last: ProbeReport?) -> NodeCheckReport {
        NodeCheckReport(
            check: "\(check)", verdict: record.verdict.rawValue, contrary: record.contrary, fall: check.fall,
            rise: check.rise, evidence: last?.outcome.evidence, result: last?.outcome.result.rawValue,
            checkedAt: last?.at.date, tookMicroseconds: last?.tookMicroseconds.map { Double($0) })
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
}

extension Date {
    /// Windows are given in seconds, and kept on a clock that is a little off from the wall clock.
    fileprivate var wholeSecond: Date { Date(timeIntervalSince1970: timeIntervalSince1970.rounded()) }
}

extension ReportedMetrics {
    init(_ metrics: NodeMetrics) {
        self.init(
            load: metrics.load, capacity: metrics.capacity, connections: metrics.connections,
            peers: metrics.peers.isEmpty ? nil : metrics.peers,
            ageSeconds: Double(Moment.now - metrics.at) / 1_000)
    }
}
