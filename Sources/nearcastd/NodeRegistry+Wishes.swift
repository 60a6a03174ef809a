import ControlFailures
import Foundation
import Health
import HealthChecks
import Journal
import ManagementTypes
import VisibleText

/// What people ask for.
extension NodeRegistry {
    private static let longest = 366 * 86_400

    /// Sets a node's state, by a person.
    func set(_ id: String, to change: NodeStateChange) async throws(ControlFailure) -> NodeReport {
        let start = ContinuousClock.now
        try requireFree()
        guard entries[id] != nil else { throw Self.unknown(id) }
        let (_, told) = try make(change, of: [id])
        guard let entry = entries[id] else { throw Self.unknown(id) }
        var report = report(entry)
        report.tookMicroseconds = Self.microseconds(told - start)
        try await keep("node \(id) is \(report.state.rawValue)")
        return report
    }

    /// Sets the state of many nodes, by a person: all of them, or none.
    func set(_ change: NodesStateChange) async throws(ControlFailure) -> NodesStateReport {
        let start = ContinuousClock.now
        try requireFree()
        let ids = try ids(change)
        let (changed, told) = try make(change.change, of: ids)
        let states = ids.compactMap { id in
            entries[id].map { NodesStateReport.Node(id: id, state: NodeState(word: word(of: $0))) }
        }
        let report = NodesStateReport(
            nodes: states, changed: changed, tookMicroseconds: Self.microseconds(told - start))
        try await keep("\(states.count) nodes are as they were wished")
        return report
    }

    /// Which nodes are meant, ordered by id.
    private func ids(_ change: NodesStateChange) throws(ControlFailure) -> [String] {
        guard [change.nodes != nil, change.pool != nil, change.all == true].count(where: \.self) == 1 else {
            throw ControlFailure(
                .invalid, "one of nodes, pool and all says which nodes are meant", remedy: "give one of them")
        }
        if let nodes = change.nodes {
            if let stranger = nodes.first(where: { entries[$0] == nil }) { throw Self.unknown(stranger) }
            return Set(nodes).sorted(by: NaturalOrder.precedes)
        }
        guard let id = change.pool else { return entries.keys.sorted(by: NaturalOrder.precedes) }
        guard let pool = fleet.pools.first(where: { $0.id == id }) else {
            throw ControlFailure(
                .notFound, "there is no pool \"\(id)\"",
                remedy: "the pools are "
                    + fleet.pools.map(\.id).sorted(by: NaturalOrder.precedes).joined(separator: ", "))
        }
        return Set(pool.nodes).filter { entries[$0] != nil }.sorted(by: NaturalOrder.precedes)
    }

    /// Lets the nodes follow a wish, all at once, and tells packets.
    ///
    /// - Returns: how many states have changed, and when packets saw it.
    private func make(
        _ change: NodeStateChange, of ids: [String]
    ) throws(ControlFailure) -> (changed: Int, told: ContinuousClock.Instant) {
        let effects: [Fleet.Effect]
        if let claim = try Self.claim(change) {
            if claim.isWindow, let full = ids.first(where: { fleet.nodes[$0]?.hasRoom(for: claim) == false }) {
                throw ControlFailure(
                    .conflict, "node \(full) has \(NodeHealth.maximumWindows) windows of maintenance already",
                    remedy: "call them off with `nearcast node undrain \(full)`, and ask for those that count")
            }
            do throws(Fleet.LastOfPools) {
                effects = try fleet.make(claim, of: ids, force: change.force ?? false, at: .now)
            } catch { throw Self.refusal(error, ids, claim) }
        } else {
            effects = fleet.withdraw(.person, of: ids, at: .now)
        }
        let told = apply(effects)
        let (now, time) = (Moment.now, Date())
        for id in ids {
            if let claim = fleet.nodes[id]?.claim(at: now) { entries[id]?.setBy = claim.author }
            if change.state != .maintenance { entries[id]?.changedAt = time }
        }
        unwritten.nodes.formUnion(ids)
        return (effects.count { $0.transition != nil }, told)
    }

    private static func refusal(_ error: Fleet.LastOfPools, _ ids: [String], _ claim: Claim) -> ControlFailure {
        let isLater = claim.begins.map { $0 > .now } ?? false
        let who =
            ids.count == 1
            ? "node \(ids[0]) is the last usable node of" : "these \(ids.count) nodes are the last usable ones of"
        return ControlFailure(
            .conflict, "\(who) \(error.named)" + (isLater ? " then, as maintenance is planned" : ""),
            remedy: isLater ? "choose another time, or use --force" : "bring another node up first, or use --force")
    }

    /// Returns when the journal has what was changed.
    private func keep(_ what: String) async throws(ControlFailure) {
        write()
        guard let problem = await journal.flush() else { return }
        throw ControlFailure(
            .internal, "\(what) now, but that could not be kept: \(problem)",
            remedy: "make \(journal.path) writable, or the state is forgotten at the next start")
    }

    private static func microseconds(_ duration: Duration) -> Double { duration.seconds * 1e6 }

    /// What a wish claims; `nil`: nothing any more.
    private static func claim(_ change: NodeStateChange) throws(ControlFailure) -> Claim? {
        if let seconds = change.forSeconds, !(1...longest).contains(seconds) {
            throw ControlFailure(
                .invalid, "a state for \(seconds) seconds", remedy: "give 1 to \(longest) seconds, which is 366 days")
        }
        if let start = change.startsAt, abs(start.timeIntervalSinceNow) > Double(longest) {
            throw ControlFailure(.invalid, "a start more than 366 days from now", remedy: "give a nearer one")
        }
        let author = [change.author ?? "a person", change.reason].compactMap(\.self).joined(separator: ": ")
        let length = change.forSeconds.map { Int64($0) * 1_000 }
        let state: HealthState
        switch change.state {
        case .up: state = .up
        case .down: state = .down
        case .drained: state = .drained
        case .auto: return nil
        case .maintenance:
            guard let length else {
                throw ControlFailure(
                    .invalid, "maintenance without an end", remedy: "say how long it takes: forSeconds, or --for 2h")
            }
            let begins = change.startsAt.map { Moment($0) } ?? .now
            guard begins + length > .now else {
                throw ControlFailure(
                    .invalid, "this maintenance is over already", remedy: "give a later start, or a longer time")
            }
            return Claim(
                .person, .maintenance, begins: begins, ends: begins + length, author: author,
                isForced: change.force ?? false)
        }
        guard change.startsAt == nil else {
            throw ControlFailure(
                .invalid, "only maintenance begins later", remedy: "leave startsAt out, or ask for maintenance")
        }
        return Claim(.person, state, ends: length.map { .now + $0 }, author: author)
    }
}

extension Fleet.LastOfPools {
    /// The pools, as a sentence names them.
    var named: String { "pool\(pools.count == 1 ? "" : "s") " + pools.joined(separator: ", ") }
}
