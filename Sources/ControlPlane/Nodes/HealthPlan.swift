package import ConfigurationModel
import Health
import HealthChecks
package import Logging

/// How the nodes of a configuration are judged.
package struct HealthPlan: Sendable {
    /// By node.
    let rules: [String: HealthRules]
    let pools: [Fleet.Pool]
    let brake: Brake
    /// Ids of the other vantage points.
    let observers: [String]
    let regions: [Region]

    package init(_ configuration: ServerConfiguration) {
        rules = Dictionary(configuration.nodes.map { ($0.id, $0.health) }) { first, _ in first }
        let served = configuration.servedPools
        pools = configuration.pools.map {
            Fleet.Pool(id: $0.id, nodes: $0.members.map(\.node), isServed: served.contains($0.id))
        }
        brake = configuration.brake
        observers = configuration.observers
        regions = configuration.regions
    }

    /// Logs files that checks need and cannot use: the nodes' states do not change then.
    package func logProblems(_ logger: Logger) {
        for problem in AuthorityFiles.problems(of: rules.values.flatMap(\.checks)) {
            logger.error("cannot use a file that checks need", metadata: ["problem": "\(problem)"])
        }
    }
}
