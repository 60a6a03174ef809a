import ConfigurationModel
import ControlPlane
import Foundation
import Health
import Lints
import ManagementTypes
import Resolution
import StateStore

extension ReloadReport {
    init(_ outcome: ReloadOutcome) {
        let (difference, configuration) = (outcome.difference, outcome.configuration)
        self.init(
            trigger: Trigger(rawValue: outcome.trigger.rawValue) ?? .command, epoch: outcome.epoch,
            digest: outcome.digest.hexadecimal, changed: difference.isAny, zones: Changes(difference.zones),
            nodes: Changes(difference.nodes), tailored: Changes(difference.tailored),
            pools: Changes(configuration.pools), policies: Changes(configuration.policies),
            settings: configuration.settings, database: difference.database, steering: difference.steering,
            fastPath: FastPath(outcome.path), fastPathReason: outcome.path.reason, problems: outcome.problems,
            warnings: outcome.warnings.map(\.line), loadSeconds: outcome.loadSeconds,
            tookSeconds: outcome.tookSeconds)
    }
}

extension LintWarning {
    /// With its place, its remedy and its id.
    var line: String { "\(self) [\(lint.rawValue)]" }
}

extension ReloadReport.FastPath {
    init(_ path: PublicationPath) {
        switch path {
        case .none: self = .none
        case .names: self = .names
        case .tables: self = .tables
        case .program: self = .program
        }
    }
}

extension PublicationPath {
    fileprivate var reason: String? { if case .program(let reason) = self { reason } else { nil } }
}

extension ReloadReport.Changes {
    init(_ changes: NameChanges) {
        self.init(
            total: changes.total, added: changes.added, removed: changes.removed, changed: changes.changed,
            count: changes.count)
    }
}

extension ReloadsReport {
    init(_ history: ReloadHistory, watch: Watch) {
        self.init(
            changed: history.changed, unchanged: history.unchanged, refused: history.refused,
            lastIsRefused: history.lastIsRefused, lastAt: history.lastAt, problems: history.problems, watch: watch)
    }
}

extension ReloadsReport.Watch {
    init(_ mode: WatchMode) {
        switch mode {
        case .apply: self = .apply
        case .ignore: self = .ignore
        case .propose: self = .propose
        }
    }
}

extension RRsetsReceipt {
    init(_ outcome: RecordOutcome) {
        self.init(
            zone: "\(outcome.zone)", serial: outcome.serial, changed: outcome.changed, change: outcome.number,
            epoch: outcome.epoch, fastPath: ReloadReport.FastPath(outcome.path),
            tookMilliseconds: outcome.took.seconds * 1e3)
    }
}

extension TransitionReport {
    init(_ transition: NodeTransition) {
        self.init(
            sequence: transition.sequence, time: Date(microseconds: transition.time), node: transition.node,
            from: NodeState(rawValue: transition.from) ?? .unknown, to: NodeState(rawValue: transition.to) ?? .unknown,
            cause: transition.cause, authority: transition.authority, evidence: transition.evidence,
            author: transition.author,
            epoch: transition.epoch, family: transition.family)
    }

    /// `nil`: the event is of another kind.
    init?(_ event: Event) {
        guard let transition = event.transition else { return nil }
        self.init(transition)
    }
}
