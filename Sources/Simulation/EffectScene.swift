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

    /// The effect on one group of names, for senders in no view.
    func part(_ group: TouchedNames.Group) -> ChangeEffect.Part {
        var tally = EffectTally(beforeNodes, afterNodes)
        let (old, new) = group.indices[0]
        let (name, later) = (before.tailored[old], after.tailored[new])
        if isOneLocation {
            let divided = addPlaces(name, later, group.family, to: &tally)
            if divided.contains(true) { addBlocks(name, later, group.family, at: divided, to: &tally) }
        } else {
            addPairs(name, later, group.family, to: &tally)
        }
        return tally.part(group)
    }

    /// Adds the clients of each place where all get the same.
    ///
    /// - Returns: for each place, whether its clients are not added yet.
    private func addPlaces(
        _ name: TailoredName, _ later: TailoredName, _ family: IPFamily, to tally: inout EffectTally
    ) -> [Bool] {
        let weights = weights[family] ?? []
        var divided = [Bool](repeating: false, count: weights.count)
        let (chain, laterChain) = (name.choice.chain(family), later.choice.chain(family))
        for place in weights.indices where weights[place] > 0 {
            guard let from = first(chain, place, before), let to = first(laterChain, place, after) else {
                divided[place] = true
                continue
            }
            tally.add((from, positions[place]), (to, positions[place]), weight: weights[place])
        }
        return divided
    }

    /// Adds the clients of these places block by block. A block says where its clients are, for both models.
    private func addBlocks(
        _ name: TailoredName, _ later: TailoredName, _ family: IPFamily, at places: [Bool],
        to tally: inout EffectTally
    ) {
        ClientBlock.forEach(family, in: before.location) { block in
            guard places[block.place] else { return }
            let (from, to) = (outcome(name, block, family, before), outcome(later, block, family, after))
            tally.add((from, positions[block.place]), (to, positions[block.place]), weight: block.weight)
        }
    }

    /// Adds all clients, where each model locates them.
    private func addPairs(
        _ name: TailoredName, _ later: TailoredName, _ family: IPFamily, to tally: inout EffectTally
    ) {
        ClientBlockPair.forEach(family, in: before.location, and: after.location) { pair in
            let from = outcome(name, pair.before, family, before)
            let to = outcome(later, pair.after, family, after)
            let (position, laterPosition) = (
                before.places.coordinates(pair.before.place), after.places.coordinates(pair.after.place)
            )
            tally.add(
                (from, position.map(SpherePoint.init)), (to, laterPosition.map(SpherePoint.init)), weight: pair.weight)
        }
    }

    /// What all clients at a place get; nil if it depends on the client.
    private func first(_ chain: SteeringChain?, _ place: Int, _ model: ServingModel) -> ClientOutcome? {
        guard let chain else { return .nothing }
        return model.steering.firstSlot(table: chain.table, place: place, words: words).map { .node(slot: $0) }
    }

    /// What the clients of a block get.
    private func outcome(
        _ name: TailoredName, _ block: ClientBlock, _ family: IPFamily, _ model: ServingModel
    ) -> ClientOutcome {
        guard let chain = name.choice.chain(family) else { return .nothing }
        let client = ClientLocation(isBySubnet: true, place: block.place, scope: block.length, leaf: block.first)
        let chosen = model.select(chain, client, name.rule, nameHash: name.steeringHash, words)
        if let slot = chosen.selection.slots.first { return .node(slot: slot) }
        return chosen.isDenied ? .nothing : chain.addresses.first.map { .address($0) } ?? .nothing
    }
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
