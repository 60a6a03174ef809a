import BPFRuntime
import CFastPathABI
import ConfigurationModel
import ControlFailures
import ControlPlane
import FastPathDriver
import FastPathPlan
import Foundation
import Health
import HealthChecks
import IPNetworks
import Lints
import Location
import ManagementTypes
import ModelCompiler
import Resolution
import Steering

/// The report of `nearcast status`: a function of one snapshot of the state, and of counters read with it.
struct StatusBuilder {
    let state: DaemonState
    let nodes: NodesView
    let counters: CountersReport
    let startedAt: Date
    /// `nil` without `rtt`.
    let learning: LearningReport?
    let limits: LimitsReport

    var report: StatusReport {
        let (loaded, fastPath) = (state.served.loaded, state.fastPath)
        let model = loaded.model
        return StatusReport(
            version: nearcastVersion, pid: ProcessInfo.processInfo.processIdentifier, startedAt: startedAt,
            uptimeSeconds: Date().timeIntervalSince(startedAt), epoch: model.epoch,
            digest: model.digest.hexadecimal, fastPath: fastPath.reports, layoutVersion: UInt32(NC_LAYOUT_VERSION),
            generation: UInt32(fastPath.generation),
            listen: loaded.configuration.endpoints.map(\.description), nodes: nodes.counts, counters: counters,
            memory: memory(model, fastPath), geo: geo(loaded), zones: zones(loaded),
            reloads: ReloadsReport(state.reloads, watch: .init(loaded.configuration.watch)), overlay: overlay(fastPath),
            switches: loaded.configuration.switches,
            regions: nodes.regionReports.isEmpty ? nil : nodes.regionReports, learning: learning, limits: limits,
            absentAddresses: absentAddresses, aliases: aliases)
    }

    private var aliases: [AliasReport]? {
        state.aliases.isEmpty ? nil : state.aliases.map { AliasReport($0) }
    }

    private var absentAddresses: [String]? {
        let absent = state.listenAddresses.filter { !$0.isOnHost }.map { "\($0.address)" }
        return absent.isEmpty ? nil : absent
    }

    private func geo(_ loaded: LoadedModel) -> GeoReport? {
        let geo = loaded.geo.summary
        guard !geo.path.isEmpty else { return nil }
        return GeoReport(
            database: geo.path, builtAt: Date(timeIntervalSince1970: Double(geo.buildEpoch)),
            networks: UInt64(geo.networks), locations: UInt64(geo.places), loadSeconds: geo.seconds,
            problem: loaded.geo.problems.isEmpty ? nil : loaded.geo.problems.joined(separator: "; "),
            warning: geo.ageWarning(at: UInt64(max(0, Date().timeIntervalSince1970))).map { warning in
                [warning.text, warning.remedy].compactMap(\.self).joined(separator: ": ")
            })
    }

    private func overlay(_ fastPath: FastPathView) -> OverlayReport? {
        guard fastPath.hasImage else { return nil }
        return OverlayReport(
            changed: fastPath.overlay?.count ?? 0, limit: Int(NC_OVERLAY_WORDS) - 1,
            bytes: UInt64((fastPath.overlay?.cells ?? 0) * Int(NC_CELL_BYTES)),
            room: UInt64(NC_OVERLAY_ENTRIES + NC_OVERLAY_ANSWERS) * UInt64(NC_CELL_BYTES))
    }

    private func zones(_ loaded: LoadedModel) -> ZonesReport {
        let zones = loaded.zones
        let failed = zones.filter { $0.failure != nil }
        let shown =
            (zones.count <= ZonesReport.limit
            ? zones : failed + zones.filter { $0.failure == nil }.sorted { $0.loadedAt > $1.loadedAt })
            .prefix(ZonesReport.limit)
        return ZonesReport(
            total: zones.count, records: zones.reduce(0) { $0 + $1.records }, failed: failed.count,
            zones: shown.map { ZoneReport($0) })
    }

    /// The tables that both paths read, and the copies that the kernel holds.
    private func memory(_ model: ServingModel, _ fastPath: FastPathView) -> [TableMemory] {
        let steering = model.steering
        var memory = [
            TableMemory(table: "user space: locations", bytes: UInt64(model.location.bytes.count)),
            TableMemory(table: "user space: place_classes", bytes: UInt64(steering.classes.bytes.count)),
            TableMemory(table: "user space: lists", bytes: UInt64(steering.lists.bytes.count)),
        ]
        memory += fastPath.tables.map { TableMemory(table: "kernel: \($0.table)", bytes: UInt64($0.bytes)) }
        return memory
    }
}

extension FastPathView {
    /// How the program is on each interface.
    var reports: [InterfaceReport] {
        attachments.map { attachment in
            let mode = InterfaceReport.Mode(attachment)
            let own = attachment.mode == nil ? nil : program
            return InterfaceReport(
                interface: attachment.interface, mode: mode, reason: attachment.reason, programID: own?.id,
                tag: own?.tag,
                unsent: unsent[attachment.interface].map { UnsentReport(total: $0.total, lastMinute: $0.recent) })
        }
    }
}

extension InterfaceReport.Mode {
    init(_ attachment: Attachment) {
        self =
            switch attachment.mode {
            case .native: .native
            case .generic: .generic
            case nil: .off
            }
    }
}

extension CountersReport {
    /// Counters of both paths, read now.
    init(_ fastPath: FastPathRunner, _ slowPath: SlowPath) async {
        var counts: [String: UInt64] = [:]
        if let values = await fastPath.readCounters() {
            for (name, value) in zip(FastPathCounter.names, values) { counts[name] = value }
        }
        self.init(fastPath: counts, slowPath: slowPath.counts)
    }
}

extension NodesView {
    /// Nodes by state.
    fileprivate var counts: NodeCounts {
        NodeCounts(
            total: entries.count,
            byState: Dictionary(
                entries.values.map { (state(of: $0).rawValue, 1) }, uniquingKeysWith: +),
            divided: fleet.nodes.values.count { Set($0.families.map(\.condition.state.isUsable)).count > 1 })
    }
}

extension ServerConfiguration {
    /// What is switched off, and the limits that are set; `nil` for none.
    fileprivate var switches: [String]? {
        var words: [String] = []
        let switches = [
            ("cookies", fastPath.answersCookies), ("nsid", fastPath.answersIdentifier),
            ("vlan", fastPath.answersTagged),
            ("truncation", fastPath.cutsReplies), ("rate_limit", fastPath.limitsRate),
        ]
        let off = switches.filter { !$0.1 }.map(\.0)
        if fastPath.mode != .off, !off.isEmpty { words.append("left to user space: \(off.joined(separator: ", "))") }
        if let answers = rateLimit.responsesPerSecond {
            words.append("replies a second limited to \(answers)" + (rateLimit.isDryRun ? " (dry run)" : ""))
        }
        if fastPath.mode != .off, let passed = fastPath.passedPerSecond {
            words.append(
                "\(passed) queries a second passed up by a processor" + (fastPath.isPassedDryRun ? " (dry run)" : ""))
        }
        return words.isEmpty ? nil : words
    }
}
