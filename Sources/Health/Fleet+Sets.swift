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

    /// - Parameter author: who does it, and why.
    public mutating func withdraw(
        _ authority: Authority, of ids: [String], author: String? = nil, at now: Moment
    ) -> [Effect] {
        ids.compactMap { withdraw(authority, of: $0, author: author, at: now) }
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
}
