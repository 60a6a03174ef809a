import ConfigurationModel
import ControlFailures
import DNSWire
import FastPathPlan
import Foundation
import ModelCompiler
import Resolution

/// Revisions of the configuration, and of what it names.
extension Publisher {
    /// Reads what is desired, and plans tables for it. Touches nothing that serves.
    func preparation(
        _ id: ChangeLog.ID, _ trigger: ReloadTrigger, keeping: [DomainName: ZoneChanges]?
    ) async throws(ControlFailure) -> Preparation {
        try parts.life.requirePublishing()
        let start = ContinuousClock.now
        let (base, settings) = (served.loaded, served.settings)
        let request = ReadRequest(
            earlier: base, slots: served.slots, changes: keeping ?? served.changes, stamp: served.stamp)
        let source = parts.source
        let read = await onOwnThread(stackSize: 8 << 20) {
            Result { () throws(ControlFailure) in try source.read(request) }
                .map { ($0, (try? $0.result.get()).map { ModelDifference(from: base, to: $0.loaded) }) }
        }
        let (revision, difference) = try read.get()
        parts.state.update { $0.refused = revision.configuration }
        let compiled = try revision.result.get()
        guard let difference else { preconditionFailure("what was compiled was compared") }
        let loadSeconds = (ContinuousClock.now - start).seconds
        try parts.life.requirePublishing()
        // Where the tables do not fit the fast path, publishing says so.
        let tables = try? await planner.tables(ahead: compiled.loaded, difference, since: base, settings)
        return Preparation(
            id: id, trigger: trigger, start: start, base: base, revision: revision, compiled: compiled,
            difference: difference, loadSeconds: loadSeconds, tables: tables, keeping: keeping)
    }

    /// Serves a revision with the record changes since it was read.
    func publishRevision(_ preparation: Preparation) async throws(ControlFailure) -> ReloadOutcome {
        try parts.life.requirePublishing()
        let read = preparation.compiled.loaded
        if preparation.keeping != nil { try Self.requireSound(read) }
        let (caughtUp, names) = try log.catchUp(preparation.id, read, of: preparation.base, to: served)
        let isChanged = preparation.difference.isAny
        var next = served
        next.take(isChanged ? caughtUp : caughtUp.serving(served.loaded.model))
        next.slots = preparation.compiled.slots
        next.stamp = preparation.revision.stamp
        next.settings = try settings(for: next.loaded.configuration)
        next.changes = (preparation.keeping ?? served.changes).settled(by: caughtUp)
        let hasOtherOptions = await planner.hasOtherOptions(next.settings, next.loaded)
        let changesProtocol = !next.settings.isSame(as: served.settings) || hasOtherOptions
        // What somebody asked to keep, or to forget, is on the disk before a packet sees it.
        if preparation.keeping != nil { try await keep(next.changes, insteadOf: served.changes) }
        let path: PublicationPath?
        do throws(ControlFailure) {
            path =
                isChanged
                ? try await serve(next, preparation, names, changesProtocol: changesProtocol)
                : changesProtocol ? try await serveOptions(next) : nil
        } catch {
            if preparation.keeping != nil { await restoreKept() }
            throw error
        }
        let plan = HealthPlan(next.loaded.configuration)
        let judged = await finish(next, plan, path)
        if preparation.keeping == nil { await forgetSettled(next.changes, served.changes) }
        served = next
        parts.state.update { [next] state in
            state.served = next
            state.refused = nil
        }
        let problems = next.loaded.problems + parts.reloadCertificates()
        return ReloadOutcome(
            trigger: preparation.trigger, epoch: next.loaded.model.epoch, digest: next.loaded.model.digest,
            difference: preparation.difference, path: path ?? .none, changesSettings: changesProtocol || judged,
            problems: problems, warnings: next.loaded.warnings, loadSeconds: preparation.loadSeconds,
            tookSeconds: (ContinuousClock.now - preparation.start).seconds)
    }

    /// Serves a model that differs: by a few names in the tables in use, by tables made ahead, or by new ones.
    private func serve(
        _ next: Served, _ preparation: Preparation, _ names: [Int: Set<[UInt8]>], changesProtocol: Bool
    ) async throws(ControlFailure) -> PublicationPath {
        if var tables = preparation.tables {
            tables.image.speech = TablePlanner.options(next.loaded, next.settings)
            if names.isEmpty { return try await exchange(next, tables, nil) }
            let changes = StaticChanges(
                from: preparation.compiled.loaded.model, to: next.loaded.model, names: names,
                sharing: tables.image.sharingZones, limit: TablePlanner.missedLimit)
            if let changes { return try await exchange(next, tables, changes) }
        } else if !changesProtocol, preparation.difference.isInZonesAlone,
            let sharing = await parts.fastPath.sharingZones,
            let changes = StaticChanges(
                from: served.loaded.model, to: next.loaded.model, sharing: sharing, limit: TablePlanner.changeLimit),
            let path = try await paths.change(to: next, by: .names(changes))
        {
            return path
        }
        return try await exchange(next, try await tables(for: next), nil)
    }

    /// Serves the same model with other protocol options.
    private func serveOptions(_ next: Served) async throws(ControlFailure) -> PublicationPath {
        if let tables = await planner.tablesInUse(with: next.settings, next.loaded) {
            return try await exchange(next, tables, nil)
        }
        return try await exchange(next, try await tables(for: next), nil)
    }

    func exchange(
        _ next: Served, _ tables: PlannedTables, _ changes: StaticChanges?
    ) async throws(ControlFailure) -> PublicationPath {
        try await paths.change(to: next, by: .image(tables, changing: changes)) ?? .none
    }

    func tables(for next: Served) async throws(ControlFailure) -> PlannedTables {
        do throws(FastPathLimit) {
            return try await planner.tables(of: next.loaded, next.settings, beside: false)
        } catch {
            throw Self.refusal(["\(error)"])
        }
    }

    /// After both paths answer from `next`, or nothing had to change for that.
    ///
    /// - Parameter path: how it came to the fast path; `nil`: nothing changed.
    /// - Returns: whether nodes are judged by other rules than before.
    private func finish(_ next: Served, _ plan: HealthPlan, _ path: PublicationPath?) async -> Bool {
        if let path {
            await paths.retire()
            // With the same tables of nodes what is written for them is there already.
            if path == .names {
                await parts.nodes.prepare(
                    next.loaded.model.steering, plan, generation: await parts.fastPath.generation)
            }
            await parts.nodes.commit(epoch: next.loaded.model.epoch)
            tablesVersion += 1
        }
        plan.logProblems(logger)
        let judged = await parts.nodes.use(plan)
        parts.useChecks(judged.checks)
        return judged.changed
    }

    /// How to answer by a configuration.
    private func settings(for configuration: ServerConfiguration) throws(ControlFailure) -> ProtocolSettings {
        do throws(StartupFailure) {
            return try ProtocolSettings(
                configuration, earlier: (served.loaded.configuration, served.settings), buckets: parts.rateBuckets,
                logger: logger)
        } catch { throw Self.refusal(error.problems) }
    }

    /// Refuses a model with zones whose files are not served as they are.
    private static func requireSound(_ next: LoadedModel) throws(ControlFailure) {
        let problems = next.zones.flatMap { $0.failure?.problems ?? [] }
        guard problems.isEmpty else {
            throw refusal(
                problems,
                remedy: "everything is served and kept as before; correct the file, or forget everything that it does "
                    + "not allow by one command, with --name for each name")
        }
    }

    /// Records and announces the end of a job.
    func note(_ outcome: ReadJob.Outcome, _ trigger: ReloadTrigger) {
        switch outcome {
        case .success(let read):
            guard let reload = read.reload else { return }
            parts.state.update { state in
                state.reloads.note(reload)
                state.revision += 1
            }
            parts.events.append(.reloaded(reload))
            if reload.difference.database {
                let geo = served.loaded.geo.summary
                parts.events.append(
                    .databaseLoaded(
                        path: geo.path, builtAt: Date(timeIntervalSince1970: Double(geo.buildEpoch))))
            }
        case .failure(let failure):
            let isRefusal = failure.code != .unavailable
            let problems = failure.message.split(separator: "\n").map(String.init)
            parts.state.update { state in
                if isRefusal { state.reloads.noteRefusal(problems) }
                state.revision += 1
            }
            if isRefusal { parts.events.append(.reloadRefused(trigger, problems: problems)) }
        }
    }
}
