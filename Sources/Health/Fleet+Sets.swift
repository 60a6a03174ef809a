/// Changes of many nodes, decided together.
extension Fleet {
    /// Sets a claim on each of the nodes. Unknown and repeated ids are skipped.
    ///
    /// - Throws: when together they would leave a pool without a usable node and `force` is not given. Nothing has
    ///   changed then.
    public mutating func make(
        _ claim: Claim, of ids: [String], force: Bool, at now: Moment
    ) throws(LastOfPools) -> [Effect] {
        if !force, claim.isLeave {
            let emptied = emptied(by: claim, of: Set(ids), at: now)
            guard emptied.isEmpty else { throw LastOfPools(pools: emptied) }
        }
        return ids.compactMap { id in change(id, at: now) { $0.make(claim, at: now) } }
    }

    public mutating func withdraw(_ authority: Authority, of ids: [String], at now: Moment) -> [Effect] {
        ids.compactMap { withdraw(authority, of: $0, at: now) }
    }

    /// Ids of nodes with state to persist that was not returned before.
    public mutating func takeUnkept() -> Set<String> {
        defer { unkept = [] }
        return unkept
    }

    /// Nodes whose windows wait for another node of a pool to become usable, ordered by id.
    public var heldWindows: [String] { inMotion.filter { nodes[$0]?.windowHeldSince != nil }.sorted() }

    /// Whether a window that is due may take the node out.
    func mayLeave(_ id: String, at now: Moment) -> Bool {
        guard nodes[id]?.hasDueWindow(at: now) == true else { return true }
        return emptied(without: id).isEmpty
    }

    /// Ids of the pools that lose their last usable node if all of `ids` leave by `claim`: at once if it holds now, or
    /// later if all other nodes of the pool are planned to be out by then.
    private func emptied(by claim: Claim, of ids: Set<String>, at now: Moment) -> [String] {
        let begins = max(claim.begins ?? now, now)
        return pools(of: Array(ids)).filter { pool in
            let leaving = pool.nodes.filter(ids.contains)
            let others = pool.nodes.filter { !ids.contains($0) }
            if begins == now {
                let isLost = leaving.contains { nodes[$0]?.condition.state.isUsable == true }
                if isLost, !others.contains(where: { nodes[$0]?.condition.state.isUsable == true }) { return true }
            }
            // A claim without a beginning is withdrawn by its author. It is no part of the plan.
            guard claim.isWindow else { return false }
            return times(of: others, from: begins, to: claim.ends).contains { time in
                others.allSatisfy { nodes[$0]?.isPlannedOut(at: time) ?? true }
                    && !leaving.allSatisfy { nodes[$0]?.isPlannedOut(at: time) ?? true }
            }
        }.map(\.id)
    }

    /// The times in a span at which another set of nodes is out by plan: its beginning, and every beginning of a
    /// window.
    private func times(of ids: [String], from begins: Moment, to ends: Moment?) -> [Moment] {
        let later = ids.flatMap { nodes[$0]?.claims ?? [] }.compactMap(\.begins).filter { time in
            time > begins && ends.map { time < $0 } ?? true
        }
        return [begins] + later
    }
}
