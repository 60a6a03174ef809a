import CFastPathABI
import ControlFailures
import Foundation
import Health
import HealthChecks
import IPNetworks
import Journal
import Location
import ManagementTypes
import Steering
import Telemetry
import VisibleText

/// What is told of the nodes.
extension NodeRegistry {
    func reports() -> [NodeReport] {
        entries.values.sorted { NaturalOrder.precedes($0.node.id, $1.node.id) }.map(report)
    }

    func report(_ entry: Entry) -> NodeReport {
        let node = entry.node
        let word = word(of: entry)
        let health = fleet.nodes[node.id]
        let claim = health?.claim(at: .now)
        let windows = (health?.claims ?? []).compactMap { claim -> WindowReport? in
            guard let begins = claim.begins, let ends = claim.ends else { return nil }
            let isHeld = health?.windowHeldSince != nil && !claim.hasBegun && begins <= .now
            return WindowReport(
                begins: begins.date, ends: ends.date, setBy: claim.author, held: isHeld ? true : nil)
        }
        let checks = health.map { health in
            zip(health.rules.checks, health.records).map { Self.report($0, $1, entry.results[$0]) }
        }
        return NodeReport(
            id: node.id, state: NodeState(word: word), share: Int(nc_word_share(word)), ttl: nc_word_ttl(word),
            addresses: [node.address(.v4), node.address(.v6)].compactMap { $0?.description },
            location: NodeLocation(
                latitude: Double(node.coordinates.latitude) / 1e6, longitude: Double(node.coordinates.longitude) / 1e6,
                region: node.region, country: node.country, continent: node.continent),
            slot: UInt32(node.slot), version: nc_word_version(word), changedAt: entry.changedAt, setBy: entry.setBy,
            authority: health.map { "\($0.authority)" }, until: claim?.ends?.date,
            windows: windows.isEmpty ? nil : windows, checks: checks?.isEmpty ?? true ? nil : checks,
            heldSince: health?.heldSince?.date, reported: entry.reported.map { ReportedMetrics($0) },
            observed: observed(node.id), shares: shares(of: node.id))
    }

    private static func report(_ check: Check, _ record: CheckRecord, _ last: ProbeReport?) -> NodeCheckReport {
        NodeCheckReport(
            check: "\(check)", verdict: record.verdict.rawValue, contrary: record.contrary, fall: check.fall,
            rise: check.rise, evidence: last?.outcome.evidence, result: last?.outcome.result.rawValue,
            checkedAt: last?.at.date, tookMicroseconds: last?.tookMicroseconds.map { Double($0) })
    }

    /// Changes of a node's state, the latest first. Read by who asks: nodes change meanwhile.
    nonisolated func history(of id: String, limit: Int) async throws(ControlFailure) -> [TransitionReport] {
        let found: [JournalRecord]
        // What has just happened is on its way to the file. Of a disk that takes nothing it is told elsewhere.
        await write()
        _ = await journal.flush()
        do { found = try await journal.history(of: id, limit: limit) } catch {
            throw ControlFailure(.internal, "the journal cannot be read: \(error)")
        }
        if found.isEmpty, await !has(id) { throw Self.unknown(id) }
        return found.map { TransitionReport($0) }
    }

    private func has(_ id: String) -> Bool { entries[id] != nil }

    static func unknown(_ id: String) -> ControlFailure {
        ControlFailure(.notFound, "there is no node \"\(id)\"", remedy: "`nearcast node list` shows the nodes")
    }

    /// Changes after the one numbered `sequence`, where there are many the first of them; waits for the first so long.
    func transitions(
        after sequence: UInt64?, waitSeconds: Int
    ) async throws(ControlFailure) -> TransitionsReport {
        guard let sequence else { return TransitionsReport(latest: log.latest, transitions: []) }
        if waitSeconds > 0, sequence <= log.latest { await log.wait(after: sequence, seconds: waitSeconds) }
        let latest = log.latest
        let found: [TransitionReport]
        if let recent = log.recent(after: sequence) {
            found = recent
        } else {
            write()
            do {
                found = try await journal.changes(after: sequence, limit: Self.changesAtOnce).map { .init($0) }
            } catch {
                throw ControlFailure(.internal, "the journal cannot be read: \(error)")
            }
        }
        // Who asks again with this number goes on behind what it has.
        return TransitionsReport(latest: found.last?.sequence ?? latest, transitions: found)
    }

    private static let changesAtOnce = 1_024

    var healthMetrics: [MetricSample] {
        var samples = [
            MetricSample(
                "nearcast_nodes_held", .gauge,
                help: "Nodes that fail and are answered on, since too many fail at once.",
                value: Double(fleet.held.count)),
            MetricSample(
                "nearcast_windows_held", .gauge,
                help: "Nodes whose maintenance waits, since it would leave a pool without a usable node.",
                value: Double(fleet.heldWindows.count)),
            MetricSample(
                "nearcast_node_transitions_total", .counter, help: "Changes of nodes' states.",
                value: Double(journal.count)),
            MetricSample(
                "nearcast_journal_backlog", .gauge, help: "Changes of nodes' states that are not on the disk yet.",
                value: Double(journal.backlog)),
            MetricSample(
                "nearcast_journal_lost_total", .counter,
                help: "Changes of nodes' states given up, since the disk took none for long.",
                value: Double(journal.lost)),
        ]
        samples += reportedMetrics + observerMetrics
        for pool in fleet.pools {
            samples.append(
                MetricSample(
                    "nearcast_pool_usable_nodes", .gauge, help: "Nodes of a pool that may be answered.",
                    labels: ["pool": pool.id], value: Double(fleet.usable(in: pool))))
        }
        return samples + shareMetrics
    }
}
