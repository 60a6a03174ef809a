import Access
import ControlFailures
import Health
import VisibleText

/// Interprets the orders of operators, and refuses some.
enum OverrideRules {
    /// The nodes that a selection means, in natural order.
    ///
    /// - Parameter known: ids of all nodes.
    /// - Throws: `notFound` for an unknown node or pool.
    static func ids(
        of selection: NodeSelection, in fleet: Fleet, known: Set<String>
    ) throws(ControlFailure) -> [String] {
        switch selection {
        case .nodes(let ids):
            if let stranger = ids.first(where: { !known.contains($0) }) { throw NodeController.unknown(stranger) }
            return Set(ids).sorted(by: NaturalOrder.precedes)
        case .all: return known.sorted(by: NaturalOrder.precedes)
        case .pool(let id):
            guard let pool = fleet.pools.first(where: { $0.id == id }) else {
                let pools = fleet.pools.map(\.id).sorted(by: NaturalOrder.precedes).joined(separator: ", ")
                throw ControlFailure(
                    .notFound, "there is no pool \"\(id)\"", remedy: "the pools are \(pools)")
            }
            return known.intersection(pool.nodes).sorted(by: NaturalOrder.precedes)
        }
    }

    /// Makes the order in the fleet: for all of the nodes or for none.
    ///
    /// - Throws: `conflict` when a pool would lose its last usable node, or a node has too many windows.
    static func make(
        _ order: NodeOrder, of ids: [String], in fleet: inout Fleet, at now: Moment
    ) throws(ControlFailure) -> [Fleet.Effect] {
        guard let claim = order.claim else {
            return fleet.withdraw(.person, of: ids, author: order.author, at: now)
        }
        if claim.isWindow, let full = ids.first(where: { fleet.nodes[$0]?.hasRoom(for: claim) == false }) {
            throw ControlFailure(
                .conflict, "node \(full) has \(NodeHealth.maximumWindows) maintenance windows already",
                remedy: "cancel them with `nearcast node undrain \(full)`, and ask for those that count")
        }
        do throws(Fleet.LastOfPools) {
            return try fleet.make(claim, of: ids, force: order.force, at: now)
        } catch { throw refusal(error, ids, claim, at: now) }
    }

    private static func refusal(
        _ error: Fleet.LastOfPools, _ ids: [String], _ claim: Claim, at now: Moment
    ) -> ControlFailure {
        let isLater = claim.begins.map { $0 > now } ?? false
        let who =
            ids.count == 1
            ? "node \(ids[0]) is the last usable node of" : "these \(ids.count) nodes are the last usable ones of"
        return ControlFailure(
            .conflict, "\(who) \(error.named)" + (isLater ? " then, as maintenance is planned" : ""),
            remedy: isLater ? "choose another time, or use --force" : "bring another node up first, or use --force")
    }

    /// The order is made, and the store cannot keep it.
    ///
    /// - Parameter state: of the one node that it is about; `nil`: there are several.
    static func unkept(
        _ ids: [String], _ state: HealthState?, _ problem: String, path: String
    ) -> ControlFailure {
        let what = state.map { "node \(ids[0]) is \($0.rawValue)" } ?? "\(ids.count) nodes are as ordered"
        return ControlFailure(
            .internal, "\(what) now, but that could not be kept: \(problem)",
            remedy: "make \(path) writable, or the state is forgotten at the next start")
    }
}

extension Fleet.LastOfPools {
    /// The pools, as a sentence names them.
    var named: String { "pool\(pools.count == 1 ? "" : "s") " + pools.joined(separator: ", ") }
}
