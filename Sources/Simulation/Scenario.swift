import CFastPathABI
public import IPNetworks
import Location
public import Resolution
import Steering

/// A model and the states of its nodes.
public struct Scenario: Sendable {
    public let model: ServingModel
    /// Index of the tailored name in the queries.
    public let name: Int
    /// The steering hash of the queries' name, if the tailored name is a wildcard that covers it.
    public let nameHash: UInt64?
    /// The family of the requested addresses.
    public let family: IPFamily
    private let words: NodeWords
    /// The locations of nodes, by slot, if known.
    private let points: [Int: SpherePoint]

    /// - Parameters:
    ///   - down: ids of nodes that are down; the others are up.
    ///   - shares: nodes with a reduced share, in 256ths, 1 to 256.
    public init(
        _ model: ServingModel, name: Int, nameHash: UInt64? = nil, family: IPFamily, down: Set<String> = [],
        shares: [String: Int] = [:]
    ) {
        self.model = model
        self.name = name
        self.nameHash = nameHash
        self.family = family
        words = NodeWords()
        for node in model.steering.nodes {
            let share = shares[node.id] ?? Int(NC_SHARE_FULL)
            let usable = share < Int(NC_SHARE_FULL) ? NC_NODE_DEGRADED : NC_NODE_UP
            let state = down.contains(node.id) ? NC_NODE_DOWN : usable
            words.store(node.slot, nc_node_word(state.rawValue, UInt32(share), NC_TTL_STABLE, 1))
            words.storeIDHash(node.slot, node.idHash)
        }
        let located = model.steering.nodes.filter(\.isLocated)
        points = Dictionary(uniqueKeysWithValues: located.map { ($0.slot, SpherePoint($0.coordinates)) })
    }

    /// The same model and name with other states.
    public func with(down: Set<String>, shares: [String: Int] = [:]) -> Scenario {
        Scenario(model, name: name, nameHash: nameHash, family: family, down: down, shares: shares)
    }

    /// The nodes that may serve the name, sorted.
    var nodeIDs: [String] {
        guard let table = model.tailored[name].table(family) else { return [] }
        return model.steering.tables[table].key.members.map { model.steering.nodes[$0.node].id }.sorted()
    }

    func outcome(for clients: ClientGroup) -> Outcome {
        let decision = model.decide(
            name, family: family, client: clients.sender, subnet: clients.subnet, nameHash: nameHash, words: words)
        let coordinates = decision.flatMap { model.places.coordinates($0.client.place) }
        guard let slot = decision?.selection.slots.first, let node = model.steering.node(slot: slot) else {
            // A policy's fallback addresses belong to no node.
            return Outcome(node: decision?.addresses.first.map { "\($0)" }, coordinates: coordinates)
        }
        let kilometres = coordinates.flatMap { client in
            points[slot].map { GreatCircle.metres(squaredChord: SpherePoint(client).squaredChord(to: $0)) / 1000 }
        }
        return Outcome(node: node.id, kilometres: kilometres, coordinates: coordinates)
    }
}
