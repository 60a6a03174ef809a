/// Shares that follow from load and regions.
extension Fleet {
    /// - Parameter regions: no node is in two of them.
    public mutating func use(_ regions: [Region]) {
        guard regions != self.regions else { return }
        self.regions = regions
        standings = []
        regionOf = [:]
        for (index, region) in regions.enumerated() {
            for member in region.members { regionOf[member.node] = index }
        }
    }

    /// A node has reported its load. It is used only if the node has load rules.
    public mutating func take(_ sample: LoadSample, of id: String) {
        guard let node = nodes[id], node.rules.load != nil else { return }
        loads[id, default: LoadShare(share: node.limits.load, at: sample.at)].take(sample)
    }

    /// The region of a node, and its status.
    public func region(of id: String) -> (region: Region, standing: Region.Standing)? {
        regionOf[id].flatMap { standings.indices.contains($0) ? (regions[$0], standings[$0]) : nil }
    }

    /// Updates every node's share from its load and its region. No table is recompiled: a share is one store.
    mutating func level(at now: Moment) -> [Effect] {
        standings = regions.map { region in region.standing { nodes[$0]?.base } }
        var changed: [(id: String, limits: ShareLimits)] = []
        for (id, node) in nodes where node.rules.load != nil || regionOf[id] != nil || !node.limits.isWhole {
            let limits = limits(of: id, node, at: now)
            if limits != node.limits { changed.append((id, limits)) }
        }
        return changed.sorted { $0.id < $1.id }.compactMap { id, limits in
            change(id, at: now) { $0.limit(limits, at: now) }
        }
    }

    private mutating func limits(of id: String, _ node: NodeHealth, at now: Moment) -> ShareLimits {
        let standing = region(of: id)?.standing
        let region = standing?.share ?? HealthState.fullShare
        var ttl = standing.map { $0.isDegraded ? $0.ttl : NodeCondition.stable } ?? NodeCondition.stable
        guard let rules = node.rules.load else {
            loads[id] = nil
            return ShareLimits(region: region, ttl: ttl)
        }
        // After a restart only the product of both is known.
        var load =
            loads[id] ?? LoadShare(share: ShareLimits.load(of: node.limits.load, region: region), at: now)
        load.advance(to: now, by: rules, isServing: node.authority <= .checks && node.base.state.isUsable)
        loads[id] = load
        ttl = min(ttl, load.ttl(rules, at: now) ?? NodeCondition.stable)
        return ShareLimits(load: load.share, region: region, ttl: ttl)
    }
}
