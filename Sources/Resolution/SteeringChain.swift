public import CFastPathABI
public import IPNetworks
public import Steering

/// The steering tables for one type of a name. The first one that has a usable node for the client decides.
public struct SteeringChain: Hashable, Sendable {
    /// A table, and which addresses of its nodes are used.
    public struct Step: Hashable, Sendable {
        /// Index among the model's tables.
        public let table: Int
        /// Whether the answer has the nodes' overlay addresses.
        public let isOverlay: Bool
        /// Whether its nodes belong to the fallback pool.
        public let isFallback: Bool

        public init(table: Int, isOverlay: Bool = false, isFallback: Bool = false) {
            self.table = table
            self.isOverlay = isOverlay
            self.isFallback = isFallback
        }
    }

    /// At least one; steps of the fallback pool come last.
    public let steps: [Step]
    /// Fallback addresses, answered if no step has a usable node.
    public let addresses: [IPAddress]
    /// Whether the last step's nodes are answered as if all were usable, if there are no fallback addresses; otherwise
    /// the client gets REFUSED.
    public let isOpen: Bool

    public init(steps: [Step], addresses: [IPAddress] = [], isOpen: Bool) {
        self.steps = steps
        self.addresses = addresses
        self.isOpen = isOpen
    }

    /// One table, with the all-down rule as the fast path knows it.
    public init(table: Int, rule: nc_rule) {
        self.init(steps: [Step(table: table)], isOpen: rule.all_down == UInt8(NC_ALL_DOWN_OPEN.rawValue))
    }

    /// The first table.
    public var table: Int { steps[0].table }

    /// Whether the first table and the fast path's all-down rule are the whole chain.
    public var isSimple: Bool { steps.count == 1 && addresses.isEmpty && isOpen && !steps[0].isOverlay }
}

/// The result of a chain for one client.
public struct ChainSelection: Sendable {
    /// If it has no slots, the client gets REFUSED or the chain's `addresses`.
    public var selection: Selection
    /// Index of the step that chose; `nil` if none did.
    public var step: Int?
    /// Whether rules deny every node to the client. A fallback does not apply then.
    public var isDenied: Bool
}

extension ServingModel {
    /// Chooses nodes by a chain.
    public func select(
        _ chain: SteeringChain, _ place: ClientLocation, _ rule: nc_rule, nameHash: UInt64, _ words: NodeWords
    ) -> ChainSelection {
        var rule = rule
        var isDenied = true
        var none: Selection?
        for (index, step) in chain.steps.enumerated() {
            if step.isFallback, isDenied { break }
            let isLast = index == chain.steps.count - 1 && chain.isOpen && chain.addresses.isEmpty
            rule.all_down = UInt8(isLast ? NC_ALL_DOWN_OPEN.rawValue : NC_ALL_DOWN_USER_SPACE.rawValue)
            var selection = select(step.table, place, rule, nameHash: nameHash, words)
            guard selection.slots.isEmpty else {
                // A substitute gets a short TTL, so that clients leave it soon.
                if index > 0 { (selection.ttl, selection.isAllDown) = (rule.ttl_min, true) }
                return ChainSelection(selection: selection, step: index, isDenied: false)
            }
            selection.ttl = rule.ttl_min
            none = selection
            isDenied = isDenied && selection.isDenied
        }
        guard let none else { preconditionFailure("a chain has a step") }
        return ChainSelection(selection: none, step: nil, isDenied: isDenied)
    }

    /// The addresses that the result of a chain gives.
    func addresses(_ chain: SteeringChain, _ chosen: ChainSelection, _ family: IPFamily) -> [IPAddress] {
        guard let step = chosen.step else { return chosen.isDenied ? [] : chain.addresses }
        let isOverlay = chain.steps[step].isOverlay
        return chosen.selection.slots.compactMap { steering.node(slot: $0)?.address(family, overlay: isOverlay) }
    }
}
