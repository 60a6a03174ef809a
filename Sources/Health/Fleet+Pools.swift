public import IPNetworks

/// Pools, and which of them would be left without a usable node.
extension Fleet {
    /// Nodes of a pool that clients may be sent to.
    ///
    /// - Parameter family: over which they are reached; `nil`: over any.
    public func usable(in pool: Pool, over family: IPFamily? = nil) -> Int {
        pool.nodes.count { isUsable($0, over: family) }
    }

    /// The families of a pool's nodes. `[nil]`: none has an address.
    public func families(of pool: Pool) -> [IPFamily?] {
        let all = pool.nodes.reduce(into: Set<IPFamily>()) { $0.formUnion(nodes[$1]?.rules.families ?? []) }
        return all.isEmpty ? [nil] : IPFamily.allCases.filter(all.contains)
    }

    /// Families over which a pool has no usable node, and none whose state is still unknown. Empty: it serves, or is not
    /// asked for.
    public func lost(in pool: Pool) -> [IPFamily?] {
        guard pool.isServed else { return [] }
        return families(of: pool).filter { family in
            let members = pool.nodes.filter { has($0, family) }
            return !members.isEmpty
                && members.allSatisfy { state($0, over: family).map { !$0.isUsable && $0 != .unknown } ?? true }
        }
    }

    /// The pools whose last usable node it is.
    public func emptied(without id: String) -> [String] {
        pools(of: id).filter(\.isServed).compactMap { pool in
            named(pool, families(of: pool).filter { isUsable(id, over: $0) && usable(in: pool, over: $0) == 1 })
        }
    }

    /// The pools that lose their last usable node if all of `ids` leave by `claim`: at once if it holds now, or later if
    /// all other nodes of the pool are planned to be out by then.
    func emptied(by claim: Claim, of ids: Set<String>, at now: Moment) -> [String] {
        pools(of: Array(ids)).filter(\.isServed).compactMap { pool in
            named(pool, families(of: pool).filter { isEmptied(pool, over: $0, by: claim, of: ids, at: now) })
        }
    }

    private func isEmptied(
        _ pool: Pool, over family: IPFamily?, by claim: Claim, of ids: Set<String>, at now: Moment
    ) -> Bool {
        let members = pool.nodes.filter { has($0, family) }
        let leaving = members.filter(ids.contains)
        let others = members.filter { !ids.contains($0) }
        guard !leaving.isEmpty else { return false }
        let begins = max(claim.begins ?? now, now)
        if begins == now {
            let isLost = leaving.contains { isUsable($0, over: family) }
            if isLost, !others.contains(where: { isUsable($0, over: family) }) { return true }
        }
        // A claim without a beginning is withdrawn by its author. It is no part of the plan.
        guard claim.isWindow else { return false }
        return times(of: others, from: begins, to: claim.ends).contains { time in
            others.allSatisfy { nodes[$0]?.isPlannedOut(at: time) ?? true }
                && !leaving.allSatisfy { nodes[$0]?.isPlannedOut(at: time) ?? true }
        }
    }

    /// The times in a span at which another set of nodes is out by plan: its beginning, and every beginning of a
    /// window.
    private func times(of ids: [String], from begins: Moment, to ends: Moment?) -> [Moment] {
        let later = ids.flatMap { nodes[$0]?.claims ?? [] }.compactMap(\.begins).filter { time in
            time > begins && ends.map { time < $0 } ?? true
        }
        return [begins] + later
    }

    /// A pool, with its family if it keeps another one. `nil`: it loses none.
    private func named(_ pool: Pool, _ families: [IPFamily?]) -> String? {
        guard let first = families.first else { return nil }
        guard families.count < self.families(of: pool).count, let family = first else { return pool.id }
        return "\(pool.id) (\(family == .v4 ? "IPv4" : "IPv6"))"
    }

    /// Whether clients of a family can be sent to a node. One without addresses is answered by its name, to all.
    private func has(_ id: String, _ family: IPFamily?) -> Bool {
        guard let family, let families = nodes[id]?.rules.families else { return family == nil }
        return families.isEmpty || families.contains(family)
    }

    private func state(_ id: String, over family: IPFamily?) -> HealthState? {
        guard let node = nodes[id], has(id, family) else { return nil }
        return family.map { node.health(of: $0).condition.state } ?? node.condition.state
    }

    private func isUsable(_ id: String, over family: IPFamily?) -> Bool { state(id, over: family)?.isUsable ?? false }
}
