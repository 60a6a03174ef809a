import CFastPathABI
import StateStore

/// What the store knows of nodes, and what it does not know yet. The store writes behind, in order.
struct NodeRecords {
    let store: any StateStore
    /// What is kept of nodes that are in no generation: they may come back.
    private var departed: [String: KeptNode]
    /// Nodes that the store does not have as they are.
    private var unwritten: Set<String> = []

    init(_ store: any StateStore) {
        self.store = store
        departed = store.nodes
    }

    /// A node comes, or comes back.
    ///
    /// - Returns: what was kept of it.
    mutating func arrive(_ id: String) -> KeptNode? { departed.removeValue(forKey: id) }

    /// Nodes are in no generation any more.
    mutating func depart(_ nodes: [String: KeptNode]) { departed.merge(nodes) { $1 } }

    /// Nodes are in no generation any more: writes what is kept of them.
    mutating func writeDeparted(_ nodes: [String: KeptNode]) {
        depart(nodes)
        var left: [String: KeptNode?] = nodes.mapValues { $0 }
        // There are no more slots to keep. What operators said is always kept.
        if departed.count > Int(NC_MAX_NODES) {
            for id in departed.filter({ !$0.value.isWished }).keys {
                departed[id] = nil
                left[id] = .some(nil)
            }
        }
        store.write([], nodes: left)
    }

    /// These nodes have to be written.
    mutating func mark(_ ids: some Sequence<String>) { unwritten.formUnion(ids) }

    /// A transition of the node is written with what is kept of it.
    mutating func unmark(_ id: String) { unwritten.remove(id) }

    /// Hands the store what it does not have yet.
    ///
    /// - Parameter kept: what is kept of a node; `nil`: it is in no generation.
    mutating func write(_ kept: (String) -> KeptNode?) {
        guard !unwritten.isEmpty else { return }
        var nodes: [String: KeptNode?] = [:]
        for id in unwritten { if let node = kept(id) { nodes[id] = node } }
        store.write([], nodes: nodes)
        unwritten = []
    }
}
