import CFastPathABI
import ControlAPI
import Foundation
import IPNetworks
import Location
import Serving
import Steering

/// The nodes' states: the one writer of the node words.
///
/// A change is one store, and the next packet of either path follows it. The census is told after a node that leaves
/// and before one that returns, so that a packet in between declines rather than takes the pool for dead.
actor NodeRegistry {
    private struct Entry {
        let node: SteeringNode
        var changedAt: Date?
        var setBy: String?
        var isSetByPerson = false
    }

    private let model: ServingModel
    private let words: NodeWords
    private let stateFile: StateFile
    private let generation: Int
    private var entries: [String: Entry]

    /// Gives every node its first word: what a person set and the state file kept, else what the words of an earlier
    /// run say, else up, since nothing checks it.
    init(
        model: ServingModel, words: NodeWords, generation: Int, stateFile: StateFile, kept: [String: StateFile.Node],
        earlier: [UInt64: UInt64]
    ) {
        self.model = model
        self.words = words
        self.stateFile = stateFile
        self.generation = generation
        entries = [:]
        for node in model.steering.nodes {
            var entry = Entry(node: node)
            var word = earlier[node.idHash] ?? Self.word(.up, version: 0)
            if let known = kept[node.id], let state = known.state.flatMap(NodeState.init(rawValue:)) {
                word = Self.word(state, version: nc_word_version(word))
                entry.setBy = known.setBy
                entry.changedAt = known.changedAt
                entry.isSetByPerson = true
            }
            words.storeIDHash(node.slot, node.idHash)
            words.store(node.slot, word)
            entries[node.id] = entry
        }
    }

    private static func word(_ state: NodeState, version: UInt32) -> UInt64 {
        let value: nc_node_state =
            switch state {
            case .up: NC_NODE_UP
            case .degraded: NC_NODE_DEGRADED
            case .down: NC_NODE_DOWN
            case .unknown: NC_NODE_UNKNOWN
            case .drained: NC_NODE_DRAINED
            case .maintenance: NC_NODE_MAINTENANCE
            }
        let share = state == .up || state == .degraded ? UInt32(NC_SHARE_FULL) : 0
        return nc_node_word(value.rawValue, share, NC_TTL_STABLE, version)
    }

    /// Sets a node's state, by a person.
    func set(_ id: String, to change: NodeStateChange) throws(ControlFailure) -> NodeReport {
        let start = ContinuousClock.now
        guard var entry = entries[id] else {
            throw ControlFailure(
                .notFound, "there is no node \"\(id)\"", remedy: "`nearcast node list` shows the nodes")
        }
        for text in [change.author, change.reason].compactMap(\.self) {
            // Both go into the log and the state file.
            guard text.utf8.count <= 256,
                !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
            else {
                throw ControlFailure(
                    .invalid, "author and reason are at most 256 bytes each, without control characters",
                    remedy: "give a short text on one line")
            }
        }
        let state: NodeState =
            switch change.state {
            case .up: .up
            case .down: .down
            case .drained: .drained
            }
        let version = (nc_word_version(words.word(entry.node.slot)) + 1) & 0xffff
        let word = Self.word(state, version: version)
        if state == .up {
            updateCensus(entry.node.slot, as: word)
            words.store(entry.node.slot, word)
        } else {
            words.store(entry.node.slot, word)
            updateCensus(entry.node.slot, as: word)
        }
        let took = ContinuousClock.now - start
        entry.changedAt = Date()
        entry.setBy = [change.author ?? "a person", change.reason].compactMap(\.self).joined(separator: ": ")
        entry.isSetByPerson = true
        entries[id] = entry
        do { try save() } catch {
            throw ControlFailure(
                .internal, "node \(id) is \(state.rawValue) now, but that could not be kept: \(error)",
                remedy: "make \(stateFile.path) writable, or the state is forgotten at the next start")
        }
        var report = report(entry)
        report.tookMicroseconds = Double(took.components.attoseconds) * 1e-12 + Double(took.components.seconds) * 1e6
        return report
    }

    /// Writes the census of every table as it is with `word` in `slot`.
    private func updateCensus(_ slot: Int, as word: UInt64) {
        for table in model.steering.tables.indices {
            let census = model.steering.census(of: table) { $0 == slot ? word : words.word($0) }
            words.storeCensus(generation: generation, table: table, census)
        }
    }

    private func save() throws {
        var nodes: [String: StateFile.Node] = [:]
        for (id, entry) in entries {
            let word = words.word(entry.node.slot)
            nodes[id] = StateFile.Node(
                slot: entry.node.slot, state: entry.isSetByPerson ? NodeState(word: word).rawValue : nil,
                setBy: entry.setBy, changedAt: entry.changedAt)
        }
        try stateFile.save(nodes)
    }

    /// Keeps the slots of nodes seen for the first time.
    func keepSlots() throws { try save() }

    func reports() -> [NodeReport] {
        entries.values.sorted { $0.node.id < $1.node.id }.map(report)
    }

    private func report(_ entry: Entry) -> NodeReport {
        let node = entry.node
        let word = words.word(node.slot)
        return NodeReport(
            id: node.id, state: NodeState(word: word), share: Int(nc_word_share(word)), ttl: nc_word_ttl(word),
            addresses: [node.address(.v4), node.address(.v6)].compactMap { $0?.description },
            location: NodeLocation(
                latitude: Double(node.coordinates.latitude) / 1e6, longitude: Double(node.coordinates.longitude) / 1e6,
                region: node.region, country: node.country, continent: node.continent),
            slot: UInt32(node.slot), version: nc_word_version(word), changedAt: entry.changedAt, setBy: entry.setBy)
    }
}

extension NodeState {
    /// The state that a node word holds.
    init(word: UInt64) {
        switch nc_word_state(word) {
        case NC_NODE_UP.rawValue: self = .up
        case NC_NODE_DEGRADED.rawValue: self = .degraded
        case NC_NODE_DOWN.rawValue: self = .down
        case NC_NODE_DRAINED.rawValue: self = .drained
        case NC_NODE_MAINTENANCE.rawValue: self = .maintenance
        default: self = .unknown
        }
    }
}
