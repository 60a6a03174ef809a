/// What `nearcast simulate` found.
public struct SimulateReport: Codable, Equatable, Sendable {
    public var configuration: String
    /// The configuration compared with, when one is.
    public var against: String?
    /// Nodes that are down afterwards.
    public var down: [String]
    public var name: String
    /// A or AAAA.
    public var type: String
    public var clients: Clients
    public var before: Spread
    public var after: Spread?
    /// Part of the clients that are led to another node afterwards, 0...1.
    public var moved: Double?
    /// The largest first.
    public var moves: [Move]
    /// How loads settle, where that is asked for: ``after`` is their end.
    public var load: Load?

    public init(
        configuration: String, against: String?, down: [String], name: String, type: String, clients: Clients,
        before: Spread, after: Spread? = nil, moved: Double? = nil, moves: [Move] = [], load: Load? = nil
    ) {
        self.configuration = configuration
        self.against = against
        self.down = down
        self.name = name
        self.type = type
        self.clients = clients
        self.before = before
        self.after = after
        self.moved = moved
        self.moves = moves
        self.load = load
    }

    /// Who asks.
    public struct Clients: Codable, Equatable, Sendable {
        public enum Unit: String, Codable, Sendable {
            case addresses
            /// IPv6 networks, whatever their size.
            case networks
            case queries
        }

        public var unit: Unit
        public var count: UInt64
        /// Blocks that are answered alike, or distinct clients of a log.
        public var groups: Int
        /// Queries of a log for other names or types.
        public var others: Int?

        public init(unit: Unit, count: UInt64, groups: Int, others: Int? = nil) {
            self.unit = unit
            self.count = count
            self.groups = groups
            self.others = others
        }
    }

    /// Who serves how many. Shares are parts of all clients, 0...1; distances are kilometres.
    public struct Spread: Codable, Equatable, Sendable {
        /// The largest share first.
        public var nodes: [Node]
        public var unanswered: Double
        public var unlocated: Double
        public var distance: Distance

        public init(nodes: [Node], unanswered: Double, unlocated: Double, distance: Distance) {
            self.nodes = nodes
            self.unanswered = unanswered
            self.unlocated = unlocated
            self.distance = distance
        }
    }

    public struct Node: Codable, Equatable, Sendable {
        public var node: String
        public var share: Double
        public var distance: Distance

        public init(node: String, share: Double, distance: Distance) {
            self.node = node
            self.share = share
            self.distance = distance
        }
    }

    /// From clients to their node; absent where no client's place is known.
    public struct Distance: Codable, Equatable, Sendable {
        public var mean: Double?
        public var median: Double?
        /// 95 of 100 are not farther.
        public var p95: Double?

        public init(mean: Double? = nil, median: Double? = nil, p95: Double? = nil) {
            self.mean = mean
            self.median = median
            self.p95 = p95
        }
    }

    /// Clients that change from one node to another; an absent node: no answer.
    public struct Move: Codable, Equatable, Sendable {
        public var from: String?
        public var to: String?
        public var share: Double

        public init(from: String?, to: String?, share: Double) {
            self.from = from
            self.to = to
            self.share = share
        }
    }
}

extension SimulateReport {
    private static let movesShown = 20

    /// A line of what was simulated, the nodes with their shares and distances, and what moves.
    public func text(_ palette: Palette) -> String {
        var report = Report(palette)
        report.add("\(name) \(type): \(clients.text)", .strong)
        report.add(nodes)
        if let load { load.add(to: &report) }
        if let after, let moved { add(after, moved: moved, to: &report) }
        return report.text
    }

    private var nodes: TextTable {
        var table = TextTable([
            .left("node"), .right("share"), .right("then"), .right("mean"), .right("then"), .right("95 %"),
            .right("then"),
        ])
        let later = Dictionary(uniqueKeysWithValues: (after?.nodes ?? []).map { ($0.node, $0) })
        let gone = Set(before.nodes.map(\.node))
        for node in before.nodes { table.add(row(node.node, node, later[node.node])) }
        for node in after?.nodes ?? [] where !gone.contains(node.node) { table.add(row(node.node, nil, node)) }
        let all = Node(node: "all", share: 1 - before.unanswered, distance: before.distance)
        let allLater = after.map { Node(node: "all", share: 1 - $0.unanswered, distance: $0.distance) }
        table.add(row("all", all, allLater))
        return table
    }

    private func row(_ name: String, _ first: Node?, _ then: Node?) -> [TextTable.Cell] {
        let isCompared = after != nil
        return [
            TextTable.Cell(name), TextTable.Cell(Quantities.part(first?.share ?? 0)),
            TextTable.Cell(isCompared ? Quantities.part(then?.share ?? 0) : ""),
            TextTable.Cell(first?.distance.mean.map(Quantities.kilometres) ?? ""),
            TextTable.Cell(then?.distance.mean.map(Quantities.kilometres) ?? ""),
            TextTable.Cell(first?.distance.p95.map(Quantities.kilometres) ?? ""),
            TextTable.Cell(then?.distance.p95.map(Quantities.kilometres) ?? ""),
        ]
    }

    private func add(_ after: Spread, moved: Double, to report: inout Report) {
        report.add("\(Quantities.part(moved)) of the clients move to another node.")
        guard !moves.isEmpty else { return }
        var table = TextTable([.left("from"), .left("to"), .right("share")])
        for move in moves.prefix(Self.movesShown) {
            table.add([
                TextTable.Cell(move.from ?? "no answer"), TextTable.Cell(move.to ?? "no answer"),
                TextTable.Cell(Quantities.part(move.share)),
            ])
        }
        report.add(table)
        if moves.count > Self.movesShown { report.add("and \(moves.count - Self.movesShown) smaller moves", .faint) }
    }
}

extension SimulateReport.Clients {
    fileprivate var text: String {
        let number = Quantities.count(count)
        switch unit {
        case .addresses: return "\(number) located IPv4 addresses in \(Quantities.count(groups)) blocks"
        case .networks: return "\(number) located IPv6 networks, each counted once"
        case .queries:
            let rest = (others ?? 0) == 0 ? "" : "; \(Quantities.count(others ?? 0)) for other names or types"
            return "\(number) queries of \(Quantities.count(groups)) clients\(rest)"
        }
    }
}
