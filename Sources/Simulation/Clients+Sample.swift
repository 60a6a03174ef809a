import Location
import Resolution

extension Clients {
    /// Which nodes serve which clients in each of the scenarios. Blocks are those of the first scenario's location
    /// table.
    func spreads(_ scenarios: [Scenario], progress: (Double) -> Void = { _ in }) -> [Spread] {
        var spreads = scenarios.map { _ in Spread() }
        var groups = 0
        forEach(in: scenarios[0].model.location) { group, done in
            for (index, scenario) in scenarios.enumerated() {
                spreads[index].add(scenario.outcome(for: group), weight: group.weight)
            }
            groups += 1
            if groups % 65_536 == 0 { progress(done) }
        }
        return spreads
    }

    /// About `count` groups that represent all clients. One group is taken wherever the running sum of weights passes a
    /// multiple of an interval; it represents the groups since the previous one.
    ///
    /// - Parameter weight: the total of all clients.
    func sample(in scenario: Scenario, of count: UInt64, weight: UInt64) -> [ClientGroup] {
        let interval = max(1, weight / count)
        var (sum, sample): (UInt64, [ClientGroup]) = (interval / 2, [])
        forEach(in: scenario.model.location) { group, _ in
            let passed = (sum + group.weight) / interval - sum / interval
            sum += group.weight
            guard passed > 0 else { return }
            sample.append(ClientGroup(sender: group.sender, subnet: group.subnet, weight: passed * interval))
        }
        return sample
    }
}
