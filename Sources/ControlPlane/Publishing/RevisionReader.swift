import ControlFailures
import DNSWire
import FastPathPlan
import Foundation
import ModelCompiler
import Resolution
import Zones

/// Reads the desired state and plans tables for it, on threads of their own. Changes nothing that is served.
struct RevisionReader: Sendable {
    let source: any ModelSource
    let planner: TablePlanner
    let life: LifeCycle
    let state: StateCell

    /// - Parameters:
    ///   - served: what is served now.
    ///   - keeping: the record changes to keep from now on; `nil`: those that are kept.
    ///   - isUnderWay: whether the job was not abandoned meanwhile. What an abandoned job read is published nowhere.
    /// - Throws: `invalid` when nothing can be served of it; `unavailable` during a handover or stop.
    func read(
        _ id: ChangeLog.ID, _ trigger: ReloadTrigger, since served: Served, tablesVersion: Int,
        keeping: [DomainName: ZoneChanges]?, isUnderWay: @Sendable () async -> Bool
    ) async throws(ControlFailure) -> Preparation {
        try life.requirePublishing()
        let start = ContinuousClock.now
        let base = served.loaded
        let request = ReadRequest(
            earlier: base, slots: served.slots, changes: keeping ?? served.changes, stamp: served.stamp)
        let source = source
        let read = await onOwnThread(stackSize: 8 << 20) {
            Result { () throws(ControlFailure) in try source.read(request) }
                .map { revision in
                    let compiled = try? revision.result.get()
                    return (
                        revision,
                        compiled.map {
                            (
                                ModelDifference(from: base, to: $0.loaded),
                                ConfigurationDifference(from: base, to: revision)
                            )
                        }
                    )
                }
        }
        let (revision, differences) = try read.get()
        guard await isUnderWay() else { throw life.current.publishingRefusal ?? DaemonLife.isHandingOver }
        state.update { $0.refused = revision.configuration }
        let compiled = try revision.result.get()
        guard let (difference, configuration) = differences else {
            preconditionFailure("what was compiled was compared")
        }
        let loadSeconds = (ContinuousClock.now - start).seconds
        try life.requirePublishing()
        let way = await planner.way(to: compiled.loaded, difference, since: base, served.settings)
        return Preparation(
            id: id, trigger: trigger, start: start, base: base, applied: request.changes, revision: revision,
            compiled: compiled,
            difference: difference, configuration: configuration, loadSeconds: loadSeconds, way: way,
            tablesVersion: tablesVersion,
            keeping: keeping)
    }
}
