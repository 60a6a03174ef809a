import CFastPathABI
import Health
import IPNetworks
import Steering

/// The node words and census counts that packets read, for the generation in use and the one that is being made.
///
/// The census of usable nodes is lowered after the word of a node that leaves, and raised before the word of one that
/// returns: a packet in between declines rather than take the pool for dead.
struct NodeWordTable {
    /// A generation that packets read, or soon will.
    private struct Generation {
        let steering: SteeringTables
        let number: Int
        var census: TableCensus
    }

    let words: any WordStore
    /// The generation in use, and behind it the one being made. A change goes to the census of both.
    private var generations: [Generation] = []

    init(_ words: any WordStore) { self.words = words }

    /// Whether a generation is being made.
    var isPrepared: Bool { generations.count > 1 }

    /// Ids of the nodes of all generations.
    var nodes: Set<String> { Set(generations.flatMap { $0.steering.nodes.map(\.id) }) }

    /// The first words of a node.
    func begin(_ node: SteeringNode, _ first: WordsOfNode) {
        words.storeIDHash(node.slot, node.idHash)
        for family in IPFamily.answered { words.store(node.slot, family, first[family]) }
    }

    /// Makes the census of the next generation. All its nodes have words.
    mutating func prepare(_ steering: SteeringTables, _ number: Int) {
        generations.append(Generation(steering: steering, number: number, census: storeCensus(steering, number)))
    }

    /// The prepared generation is the one in use now, and no packet reads the one before.
    ///
    /// - Returns: its nodes.
    mutating func commit() -> [SteeringNode] {
        generations.removeFirst(generations.count - 1)
        return generations[0].steering.nodes
    }

    /// The prepared generation will not be used.
    mutating func abandon() { generations.removeLast() }

    /// Writes what packets are to know of a node.
    mutating func store(_ conditions: NodeConditions, of node: SteeringNode) {
        for family in IPFamily.answered { store(conditions[family], of: node, family) }
    }

    private mutating func store(_ condition: NodeCondition, of node: SteeringNode, _ family: IPFamily?) {
        let before = words.word(node.slot, family)
        guard !condition.matches(before) else { return }
        let word = condition.word(after: before)
        let (left, right) = (Self.rank(before), Self.rank(word))
        if right > left { updateCensus(node.slot, family, from: before, to: word) }
        words.store(node.slot, family, word)
        if right < left { updateCensus(node.slot, family, from: before, to: word) }
    }

    /// Writes everything again, whatever another process has written.
    mutating func storeAll(_ nodes: [(node: SteeringNode, conditions: NodeConditions)]) {
        for (node, conditions) in nodes {
            for family in IPFamily.answered {
                let word = conditions[family].word(after: words.word(node.slot, family))
                words.store(node.slot, family, word)
            }
        }
        for index in generations.indices {
            generations[index].census = storeCensus(generations[index].steering, generations[index].number)
        }
    }

    private func storeCensus(_ steering: SteeringTables, _ generation: Int) -> TableCensus {
        let census = TableCensus(steering, word: words.word)
        for (table, count) in census.all.enumerated() {
            words.storeCensus(generation: generation, table: table, count)
        }
        return census
    }

    /// What a census counts of a word: a node that gains returns, one that loses leaves.
    private static func rank(_ word: UInt64) -> Int {
        let state = HealthState(word: word)
        return state == .up || state == .degraded ? 2 : state == .unknown ? 1 : 0
    }

    /// Writes the census of the tables that the node is in, in every generation.
    private mutating func updateCensus(_ slot: Int, _ family: IPFamily?, from before: UInt64, to word: UInt64) {
        for index in generations.indices {
            let generation = generations[index].number
            generations[index].census.change(slot, family, from: before, to: word) { [words] table, census in
                words.storeCensus(generation: generation, table: table, census)
            }
        }
    }
}
