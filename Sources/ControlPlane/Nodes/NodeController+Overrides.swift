package import ControlFailures
import Foundation
import Health
import HealthChecks
import StateStore
import VisibleText

/// What operators order.
extension NodeController {
    /// Applies an operator's order to nodes: to all of them at once, or to none.
    ///
    /// - Returns: the nodes, how many changed state, and when packets saw it.
    /// - Throws: `notFound` for an unknown node or pool, `conflict` when a pool would lose its last usable node, `internal`
    ///   when the change is made but could not be kept.
    package func apply(
        _ order: NodeOrder, to selection: NodeSelection
    ) async throws(ControlFailure) -> NodeOrderOutcome {
        try life.requireNodeChanges()
        let ids = try ids(of: selection)
        let (changed, seen) = try make(order, of: ids)
        publish()
        write()
        let outcome = NodeOrderOutcome(nodes: ids, changed: changed, seenAt: seen)
        guard let problem = await store.flush() else { return outcome }
        let what = ids.count == 1 ? "node \(ids[0]) is \(stateName(of: ids[0]))" : "\(ids.count) nodes are as ordered"
        throw ControlFailure(
            .internal, "\(what) now, but that could not be kept: \(problem)",
            remedy: "make \(store.path) writable, or the state is forgotten at the next start")
    }

    private func stateName(of id: String) -> String {
        entries[id].map { HealthState(word: word(of: $0)).rawValue } ?? "unknown"
    }

    /// The nodes that a selection means, in natural order.
    private func ids(of selection: NodeSelection) throws(ControlFailure) -> [String] {
        switch selection {
        case .nodes(let ids):
            if let stranger = ids.first(where: { entries[$0] == nil }) { throw Self.unknown(stranger) }
            return Set(ids).sorted(by: NaturalOrder.precedes)
        case .all: return entries.keys.sorted(by: NaturalOrder.precedes)
        case .pool(let id):
            guard let pool = fleet.pools.first(where: { $0.id == id }) else {
                let pools = fleet.pools.map(\.id).sorted(by: NaturalOrder.precedes).joined(separator: ", ")
                throw ControlFailure(
                    .notFound, "there is no pool \"\(id)\"", remedy: "the pools are \(pools)")
            }
            return Set(pool.nodes).filter { entries[$0] != nil }.sorted(by: NaturalOrder.precedes)
        }
    }

    package static func unknown(_ id: String) -> ControlFailure {
        ControlFailure(.notFound, "there is no node \"\(id)\"", remedy: "`nearcast node list` shows the nodes")
    }

    private func make(
        _ order: NodeOrder, of ids: [String]
    ) throws(ControlFailure) -> (changed: Int, seen: ContinuousClock.Instant) {
        let effects: [Fleet.Effect]
        if let claim = order.claim {
            if claim.isWindow, let full = ids.first(where: { fleet.nodes[$0]?.hasRoom(for: claim) == false }) {
                throw ControlFailure(
                    .conflict, "node \(full) has \(NodeHealth.maximumWindows) maintenance windows already",
                    remedy: "cancel them with `nearcast node undrain \(full)`, and ask for those that count")
            }
            do throws(Fleet.LastOfPools) {
                effects = try fleet.make(claim, of: ids, force: order.force, at: .now)
            } catch { throw Self.refusal(error, ids, claim) }
        } else {
            effects = fleet.withdraw(.person, of: ids, at: .now)
        }
        let seen = apply(effects)
        let (now, time) = (Moment.now, Date())
        for id in ids {
            if let claim = fleet.nodes[id]?.claim(at: now) { entries[id]?.setBy = claim.author }
            if order.claim?.isWindow != true { entries[id]?.changedAt = time }
        }
        unwritten.formUnion(ids)
        return (effects.count { $0.transition != nil }, seen)
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
}

extension Fleet.LastOfPools {
    /// The pools, as a sentence names them.
    var named: String { "pool\(pools.count == 1 ? "" : "s") " + pools.joined(separator: ", ") }
}
