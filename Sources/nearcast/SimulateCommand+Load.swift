import CommandLineText
import ConfigurationModel
import Health
import Simulation
import VisibleText

extension LoadSimulation.Settings {
    /// As the configuration has it; where it says nothing of loads the standard rules are taken.
    init(_ configuration: ServerConfiguration, down: Set<String>, use: Int) {
        let rules = configuration.nodes.map { ($0.id, $0.health.load ?? LoadRules(capacity: $0.capacity)) }
        self.init(
            down: down, rules: Dictionary(rules) { first, _ in first }, regions: configuration.regions, use: use)
    }
}

extension SimulateReport.Load {
    init(_ loads: LoadSimulation, use: Int) {
        func load(_ id: String, _ stage: LoadSimulation.Stage) -> Double { loads.use(of: id, stage) ?? 0 }
        let nodes = loads.capacities.keys.map { id in
            Node(
                node: id, before: load(id, loads.before), failover: load(id, loads.plain),
                regions: load(id, loads.regional), settled: load(id, loads.settled),
                share: loads.settled.shares[id] ?? HealthState.fullShare)
        }
        func stage(_ stage: LoadSimulation.Stage) -> Stage {
            let largest = loads.largest(stage)
            return Stage(
                largest: largest?.node ?? "", load: largest?.use ?? 0,
                overloaded: loads.capacities.keys.count { load($0, stage) > 1 },
                distance: SimulateReport.Distance(
                    mean: stage.spread.distances.mean, median: stage.spread.distances.percentile(0.5),
                    p95: stage.spread.distances.percentile(0.95)))
        }
        self.init(
            use: use, before: stage(loads.before), failover: stage(loads.plain), regions: stage(loads.regional),
            settled: stage(loads.settled), rounds: loads.rounds,
            isAtRest: loads.rounds < LoadSimulation.maximumRounds,
            nodes: nodes.sorted {
                $0.failover != $1.failover
                    ? $0.failover > $1.failover : NaturalOrder.precedes($0.node, $1.node)
            })
    }
}
