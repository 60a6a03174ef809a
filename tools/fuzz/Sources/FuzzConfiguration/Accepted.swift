import ConfigurationModel
import DNSWire
import FuzzSupport
import Health

/// What is promised of a configuration that is taken: the parts that follow rely on it without a look.
func check(_ configuration: ServerConfiguration) {
    require((1...16).contains(configuration.listen.count), "\(configuration.listen.count) endpoints")
    require(!configuration.zones.isEmpty, "no zone")
    require(configuration.nodes.count <= ServerConfiguration.maximumNodes, "\(configuration.nodes.count) nodes")
    require(configuration.observers.count <= 15, "\(configuration.observers.count) observers")
    requireUnique(configuration.zones.map(\.origin), "zone")
    let nodes = requireUnique(configuration.nodes.map(\.id), "node")
    let pools = requireUnique(configuration.pools.map(\.id), "pool")
    let policies = requireUnique(configuration.policies.map(\.id), "policy")
    let views = requireUnique(configuration.views.map(\.id), "view")
    requireUnique(configuration.observers, "observer")
    requireUnique(configuration.regions.map(\.id), "region")
    requireUnique(configuration.regions.flatMap { $0.members.map(\.node) }, "member of a region")

    for pool in configuration.pools {
        require(!pool.tiers.isEmpty, "\(pool.id): a pool without nodes")
        for tier in pool.tiers {
            requireKnown(tier.members.map(\.node), nodes, "node")
            require((0...tier.members.count).contains(tier.minimum), "\(pool.id): minimum \(tier.minimum)")
        }
    }
    requireKnown(configuration.regions.flatMap { $0.members.map(\.node) }, nodes, "node")
    for policy in configuration.policies {
        requireKnown(policy.rules.flatMap { $0.nodes ?? [] }, nodes, "node")
        require(policy.answers >= 1 && policy.ttlMin <= policy.ttlMax, "policy \(policy.id)")
    }
    for tailored in configuration.tailored {
        requireKnown([tailored.pool] + tailored.views.map(\.pool), pools, "pool")
        requireKnown([tailored.policy] + tailored.views.map(\.policy), policies, "policy")
        requireKnown(tailored.views.map(\.view), views, "view")
        require(
            configuration.zones.contains { tailored.name.isSubdomain(of: $0.origin) }, "\(tailored.name): in no zone")
    }
    let paths =
        [configuration.control.path, configuration.state.path, configuration.geo.database.path]
        + configuration.zones.map(\.file) + configuration.policies.flatMap { $0.latency.map(\.path) }
    for path in paths { require(path.hasPrefix("/"), "\(path): not absolute") }
}

@discardableResult
private func requireUnique<Element: Hashable>(_ elements: [Element], _ what: String) -> Set<Element> {
    let set = Set(elements)
    require(set.count == elements.count, "a \(what) is there twice: \(elements)")
    return set
}

private func requireKnown(_ names: [String], _ known: Set<String>, _ what: String) {
    for name in names { require(known.contains(name), "\(name): no such \(what)") }
}
