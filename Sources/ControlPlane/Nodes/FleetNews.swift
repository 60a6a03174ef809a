import Health

/// What was last announced about the fleet as a whole, so that each change becomes one event.
struct FleetNews {
    /// Pools without a usable node.
    private var emptyPools: Set<String> = []
    private var heldNodes: [String] = []
    private var heldWindows: [String] = []

    /// Which of these pools lost their last usable node, or have one again.
    mutating func pools(_ pools: [Fleet.Pool], in fleet: Fleet) -> [Event.Kind] {
        pools.compactMap { pool in
            let isEmpty = fleet.usable(in: pool) == 0
            guard isEmpty != emptyPools.contains(pool.id) else { return nil }
            if isEmpty { emptyPools.insert(pool.id) } else { emptyPools.remove(pool.id) }
            return isEmpty ? .poolEmpty(pool.id) : .poolUsable(pool.id)
        }
    }

    /// Maintenance that waits, and failing nodes that stay in rotation.
    mutating func held(in fleet: Fleet) -> [Event.Kind] {
        var news: [Event.Kind] = []
        if fleet.heldWindows != heldWindows {
            news += fleet.heldWindows.filter { !heldWindows.contains($0) }.map {
                .maintenanceHeld(node: $0, pools: fleet.emptied(without: $0))
            }
            heldWindows = fleet.heldWindows
        }
        let held = fleet.held
        if held != heldNodes {
            if held.count > heldNodes.count || held.isEmpty { news.append(.nodesHeld(held)) }
            heldNodes = held
        }
        return news
    }
}
