import Health
import IPNetworks

/// What was last announced about the fleet as a whole, so that each change becomes one event.
struct FleetNews {
    /// Pools without a usable node, and families over which a pool has none.
    private var emptyPools: [String: [IPFamily?]] = [:]
    private var heldNodes: [String] = []
    private var heldWindows: [String] = []

    /// Which of these pools lost their last usable node, or have one again.
    mutating func pools(_ pools: [Fleet.Pool], in fleet: Fleet) -> [Event.Kind] {
        pools.flatMap { pool -> [Event.Kind] in
            let (before, lost) = (emptyPools[pool.id] ?? [], fleet.lost(in: pool))
            guard lost != before else { return [] }
            emptyPools[pool.id] = lost.isEmpty ? nil : lost
            let all = fleet.families(of: pool)
            func kinds(_ families: [IPFamily?], _ make: (String, IPFamily?) -> Event.Kind) -> [Event.Kind] {
                families.count == all.count ? [make(pool.id, nil)] : families.map { make(pool.id, $0) }
            }
            return kinds(lost.filter { !before.contains($0) }) { .poolEmpty($0, $1) }
                + kinds(before.filter { !lost.contains($0) && all.contains($0) }) { .poolUsable($0, $1) }
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
