extension SimulateReport {
    /// How loads settle after nodes have failed. Loads are parts of a node's capacity, 0 and more; shares are 256ths.
    public struct Load: Codable, Equatable, Sendable {
        /// Percent of all capacity that the clients take before the failure.
        public var use: Int
        /// Nobody has failed; the failed nodes' clients are with the next ones; regions have lowered shares; loads are at rest.
        public var before: Stage
        public var failover: Stage
        public var regions: Stage
        public var settled: Stage
        /// Times to settle until nothing changed any more.
        public var rounds: Int
        /// Whether that was reached.
        public var isAtRest: Bool
        /// The largest load at plain failover first.
        public var nodes: [Node]

        public init(
            use: Int, before: Stage, failover: Stage, regions: Stage, settled: Stage, rounds: Int, isAtRest: Bool,
            nodes: [Node]
        ) {
            self.use = use
            self.before = before
            self.failover = failover
            self.regions = regions
            self.settled = settled
            self.rounds = rounds
            self.isAtRest = isAtRest
            self.nodes = nodes
        }

        public struct Stage: Codable, Equatable, Sendable {
            /// The node with the largest load, and that load.
            public var largest: String
            public var load: Double
            /// Nodes with more than their capacity.
            public var overloaded: Int
            public var distance: Distance

            public init(largest: String, load: Double, overloaded: Int, distance: Distance) {
                self.largest = largest
                self.load = load
                self.overloaded = overloaded
                self.distance = distance
            }
        }

        public struct Node: Codable, Equatable, Sendable {
            public var node: String
            public var before: Double
            public var failover: Double
            public var regions: Double
            public var settled: Double
            public var share: Int

            public init(
                node: String, before: Double, failover: Double, regions: Double, settled: Double, share: Int
            ) {
                self.node = node
                self.before = before
                self.failover = failover
                self.regions = regions
                self.settled = settled
                self.share = share
            }
        }
    }
}

extension SimulateReport.Load {
    private static let nodesShown = 12

    func add(to report: inout Report) {
        var stages = TextTable([
            .left("loads"), .right("largest"), .left("node"), .right("overloaded"), .right("mean"), .right("95 %"),
        ])
        for (name, stage) in [
            ("before", before), ("next nearest alone", failover), ("with regions", regions),
            ("at rest", settled),
        ] {
            stages.add([
                .init(name), .init(Quantities.percent(stage.load * 100), stage.load > 1 ? .bad : .good),
                .init(stage.largest), .init("\(stage.overloaded)"),
                .init(stage.distance.mean.map(Quantities.kilometres) ?? ""),
                .init(stage.distance.p95.map(Quantities.kilometres) ?? ""),
            ])
        }
        report.add(stages)
        report.add(
            isAtRest
                ? "Loads are at rest after \(rounds) times to settle."
                : "After \(rounds) times to settle shares still change.")
        var table = TextTable([
            .left("node"), .right("before"), .right("next nearest"), .right("regions"), .right("at rest"),
            .right("share"),
        ])
        for node in nodes.prefix(Self.nodesShown) {
            table.add(
                [.init(node.node, .strong)]
                    + [node.before, node.failover, node.regions, node.settled].map {
                        .init(Quantities.percent($0 * 100), $0 > 1 ? .bad : .plain)
                    } + [.init(Quantities.share(node.share))])
        }
        report.add(table)
    }
}
