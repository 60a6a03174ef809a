import CFastPathABI
import ControlAPI
import Foundation
import IPNetworks
import Location
import Logging
import Serving
import Steering

/// The nodes' states: the one writer of the node words.
///
/// A change is one store, and the next packet of either path follows it. The census is told after a node that leaves
/// and before one that returns, so that a packet in between declines rather than takes the pool for dead.
actor NodeRegistry {
    private struct Entry {
        var node: SteeringNode
        var changedAt: Date?
        var setBy: String?
        var isSetByPerson = false
    }

    /// A generation that packets read, or soon will.
    private struct View {
        let steering: SteeringTables
        let generation: Int
    }

    private let words: NodeWords
    private let stateFile: StateFile
    private let logger: Logger
    /// States of an earlier run, by id hash: for nodes that nobody set.
    private var earlier: [UInt64: UInt64]
    /// The generation in use, and behind it the one being made. A change goes to the census of both.
    private var views: [View] = []
    /// The nodes of all views.
    private var entries: [String: Entry] = [:]
    /// What is kept of nodes that are in no view: they may come back.
    private var departed: [String: StateFile.Node]
    /// A successor has read the states, and writes them from now on.
    private var isHeld = false

    /// - Parameters:
    ///   - kept: what the state file says.
    ///   - earlier: words of an earlier run by the hash of the node's id.
    init(
        words: NodeWords, stateFile: StateFile, kept: [String: StateFile.Node], earlier: [UInt64: UInt64],
        logger: Logger
    ) {
        self.logger = logger
        self.words = words
        self.stateFile = stateFile
        self.earlier = earlier
        departed = kept
    }

    /// Makes words and census ready for a model that is to be served from `generation`. The model in use is not
    /// disturbed: its nodes keep their words, and new ones have slots that it does not name.
    ///
    /// A new node's first word is what a person set and the state file kept, else what the words of an earlier run say,
    /// else up, since nothing checks it.
    func prepare(_ steering: SteeringTables, generation: Int) {
        for node in steering.nodes where entries[node.id] == nil {
            var entry = Entry(node: node)
            var word = earlier[node.idHash] ?? Self.word(.up, version: 0)
            if let known = departed.removeValue(forKey: node.id),
                let state = known.state.flatMap(NodeState.init(rawValue:))
            {
                word = Self.word(state, version: nc_word_version(word))
                entry.setBy = known.setBy
                entry.changedAt = known.changedAt
                entry.isSetByPerson = true
            }
            words.storeIDHash(node.slot, node.idHash)
            words.store(node.slot, word)
            entries[node.id] = entry
        }
        let view = View(steering: steering, generation: generation)
        views.append(view)
        storeCensus(view, word: words.word)
    }

    /// The prepared model is the one in use now, and no packet reads the one before. Keeps the new nodes' slots.
    func commit() {
        views.removeFirst(views.count - 1)
        for node in views[0].steering.nodes { entries[node.id]?.node = node }
        forgetOthers()
        // Of use to the first model only.
        earlier = [:]
        do { try save() } catch {
            logger.warning("states of nodes will not outlive this process", metadata: ["error": "\(error)"])
        }
    }

    /// The prepared model will not be used.
    func abandon() {
        views.removeLast()
        forgetOthers()
    }

    /// Lets go of nodes that no view has.
    private func forgetOthers() {
        let named = Set(views.flatMap { $0.steering.nodes.map(\.id) })
        for (id, entry) in entries where !named.contains(id) {
            departed[id] = kept(entry)
            entries[id] = nil
        }
        // There are no more slots to be kept; what a person set is kept always.
        if departed.count > Int(NC_MAX_NODES) { departed = departed.filter { $0.value.state != nil } }
    }

    /// Changes no state until `release`: a successor takes over.
    func hold() { isHeld = true }

    func release() { isHeld = false }

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
        guard !isHeld else { throw ControlCenter.isHandingOver }
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
        for view in views { storeCensus(view) { $0 == slot ? word : self.words.word($0) } }
    }

    private func storeCensus(_ view: View, word: (Int) -> UInt64) {
        for table in view.steering.tables.indices {
            words.storeCensus(
                generation: view.generation, table: table, view.steering.census(of: table, word: word))
        }
    }

    private func kept(_ entry: Entry) -> StateFile.Node {
        StateFile.Node(
            slot: entry.node.slot,
            state: entry.isSetByPerson ? NodeState(word: words.word(entry.node.slot)).rawValue : nil,
            setBy: entry.setBy, changedAt: entry.changedAt)
    }

    private func save() throws { try stateFile.save(departed.merging(entries.mapValues(kept)) { $1 }) }

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
