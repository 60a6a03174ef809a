import CFastPathABI
import IPNetworks
import Location
import Resolution
import Steering

/// Two models, the states of their nodes, and the clients of the address space by place.
struct EffectScene {
    let before: ServingModel
    let after: ServingModel
    /// Of the nodes of both models: a node keeps its slot.
    let words: NodeWords
    /// Whether both models put every client at the same place.
    private let isOneLocation: Bool
    /// The weight of the clients at each place of the earlier model.
    private let weights: [IPFamily: [UInt64]]
    /// The position of each place of the earlier model that has clients.
    private let positions: [SpherePoint?]
    private let beforeNodes: NodePoints
    private let afterNodes: NodePoints

    init(from before: ServingModel, to after: ServingModel, words live: NodeWords, families: Set<IPFamily>) {
        (self.before, self.after) = (before, after)
        isOneLocation = before.location === after.location
        words = Self.words(before, after, live)
        (beforeNodes, afterNodes) = (NodePoints(before.steering), NodePoints(after.steering))
        let count = before.places.count
        var weights: [IPFamily: [UInt64]] = [:]
        var hasClients = [Bool](repeating: false, count: count)
        for family in families {
            var ofFamily = [UInt64](repeating: 0, count: count)
            ClientBlock.forEach(family, in: before.location) { block in
                ofFamily[block.place] += block.weight
                hasClients[block.place] = true
            }
            weights[family] = ofFamily
        }
        self.weights = weights
        positions = hasClients.indices.map { place in
            hasClients[place] ? before.places.coordinates(place).map(SpherePoint.init) : nil
        }
    }

    /// A copy that does not change meanwhile. New nodes are up.
    private static func words(_ before: ServingModel, _ after: ServingModel, _ live: NodeWords) -> NodeWords {
        let words = NodeWords()
        let up = nc_node_word(NC_NODE_UP.rawValue, UInt32(NC_SHARE_FULL), NC_TTL_STABLE, 1)
        for node in after.steering.nodes {
            words.store(node.slot, up)
            words.storeIDHash(node.slot, node.idHash)
        }
        for node in before.steering.nodes {
            for family in IPFamily.answered { words.store(node.slot, family, live.word(node.slot, family)) }
            words.storeIDHash(node.slot, node.idHash)
        }
        return words
    }

    /// The effect on one group of names.
    func part(_ group: TouchedNames.Group) -> ChangeEffect.Part {
        let (old, new) = group.indices[0]
        let (name, later) = (before.tailored[old], after.tailored[new])
        let family = group.family
        let ofPlaces = weights[family] ?? []
        var tally = EffectTally(beforeNodes, afterNodes)
        // Places where clients may get different nodes.
        var divided = [Bool](repeating: true, count: ofPlaces.count)
        var isDivided = true
        if isOneLocation, name.views.isEmpty, later.views.isEmpty {
            isDivided = false
            let (chain, laterChain) = (name.choice.chain(family), later.choice.chain(family))
            for place in ofPlaces.indices where ofPlaces[place] > 0 {
                if let from = first(chain, place, before), let to = first(laterChain, place, after) {
                    let position = positions[place]
                    tally.add((from, position), (to, position), weight: ofPlaces[place])
                    divided[place] = false
                } else {
                    isDivided = true
                }
            }
        }
        if isDivided {
            ClientBlock.forEach(family, in: before.location) { block in
                guard divided[block.place] else { return }
                let (group, position) = (block.group, positions[block.place])
                let (from, _) = outcome(old, group, family, before)
                let (to, place) = outcome(new, group, family, after)
                let laterPosition = isOneLocation ? position : place.flatMap(laterPosition)
                tally.add((from, position), (to, laterPosition), weight: block.weight)
            }
        }
        return tally.part(group)
    }

    /// What all clients at a place get; nil if it depends on the client.
    private func first(_ chain: SteeringChain?, _ place: Int, _ model: ServingModel) -> ClientOutcome? {
        guard let chain else { return .nothing }
        return model.steering.firstSlot(table: chain.table, place: place, words: words).map { .node(slot: $0) }
    }

    /// What clients get, and the number of their place.
    private func outcome(
        _ name: Int, _ clients: ClientGroup, _ family: IPFamily, _ model: ServingModel
    ) -> (ClientOutcome, place: Int?) {
        guard
            let decision = model.decide(
                name, family: family, client: clients.sender, subnet: clients.subnet, words: words)
        else { return (.nothing, nil) }
        let place = decision.client.place
        if let slot = decision.selection.slots.first { return (.node(slot: slot), place) }
        return (decision.addresses.first.map { .address($0) } ?? .nothing, place)
    }

    /// The position of a place of the later model.
    private func laterPosition(_ place: Int) -> SpherePoint? { after.places.coordinates(place).map(SpherePoint.init) }
}

/// What clients get.
enum ClientOutcome: Hashable {
    /// The first node of the answer.
    case node(slot: Int)
    /// A policy's fallback address.
    case address(IPAddress)
    /// REFUSED or NODATA.
    case nothing
}

/// Ids and positions of nodes, by slot.
struct NodePoints {
    let ids: [Int: String]
    let points: [Int: SpherePoint]

    init(_ steering: SteeringTables) {
        ids = Dictionary(uniqueKeysWithValues: steering.nodes.map { ($0.slot, $0.id) })
        let located = steering.nodes.filter(\.isLocated)
        points = Dictionary(uniqueKeysWithValues: located.map { ($0.slot, SpherePoint($0.coordinates)) })
    }
}
