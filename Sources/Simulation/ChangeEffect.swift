public import DNSWire
public import IPNetworks
public import Resolution
public import Steering

/// What a change of the model moves: of each tailored name whose answers may differ, which clients other nodes serve
/// afterwards. Nodes have the same states before and after; new nodes are up.
public struct ChangeEffect: Sendable {
    /// What the clients of some names get, before or after the change.
    public struct Side: Sendable {
        /// Weight of the clients by the id of the first node in their answers, or by the policy's fallback address.
        public internal(set) var nodes: [String: UInt64] = [:]
        /// To the node, over the clients whose location and node are known; nil if there are none.
        public internal(set) var meanKilometres: Double?
        /// The distance, rounded up to 10, that 95 % of them are within.
        public internal(set) var p95Kilometres: Double?
        /// Weight of the clients that get no address: REFUSED or NODATA.
        public internal(set) var unanswered: UInt64 = 0
    }

    /// Names that agree in everything that decides, before and after. They are computed once, for the first of them. Where
    /// a policy divides clients by a hash, it divides as many clients of the other names, but not the same ones.
    public struct Part: Sendable {
        /// In the order of the configuration.
        public let names: [DomainName]
        /// IPv4: A, for all IPv4 addresses. IPv6: AAAA, for all IPv6 networks.
        public let family: IPFamily
        public internal(set) var before = Side()
        public internal(set) var after = Side()
        /// Weight of the clients that another node serves, by where they come from and go to; nil: no answer.
        public internal(set) var moves: [Simulation.Move: UInt64] = [:]
        /// Weight of all clients with a known location.
        public internal(set) var clients: UInt64 = 0

        public var moved: UInt64 { moves.values.reduce(0, +) }
        /// Weight of the clients that had an answer and lose it.
        public var cut: UInt64 { moves.reduce(0) { $0 + ($1.key.to == nil ? $1.value : 0) } }

        /// The part of all clients that a weight is, 0...1.
        public func share(_ weight: UInt64) -> Double { clients == 0 ? 0 : Double(weight) / Double(clients) }
    }

    /// In the order of their first names. For senders in no view.
    public private(set) var parts: [Part] = []
    /// What may differ and is not measured: tailored records of other types, as in `cdn.example.com. CNAME`, and names in
    /// views, as in `www.example.com. in views`.
    public let unmeasured: [String]
    /// Ids of nodes whose addresses differ: their clients go to the same node, and to another address.
    public let readdressed: [String]

    /// Computes the effect. Takes time by the number of places for each part, and by the number of blocks where a hash
    /// decides: call it on a thread of its own.
    ///
    /// - Parameters:
    ///   - words: the states of the earlier model's nodes. They are read once.
    ///   - progress: called from time to time with 0...1; it returns whether to go on.
    /// - Returns: nil if `progress` stopped it.
    public init?(
        from before: ServingModel, to after: ServingModel, words: NodeWords, progress: (Double) -> Bool = { _ in true }
    ) {
        let touched = TouchedNames(from: before, to: after)
        unmeasured = touched.unmeasured
        let later = Dictionary(after.steering.nodes.map { ($0.id, $0) }) { first, _ in first }
        readdressed = before.steering.nodes.filter { node in
            guard let other = later[node.id] else { return false }
            return [false, true].contains { isOverlay in
                IPFamily.allCases.contains {
                    node.address($0, overlay: isOverlay) != other.address($0, overlay: isOverlay)
                }
            }
        }.map(\.id)
        guard !touched.groups.isEmpty else { return }
        let scene = EffectScene(from: before, to: after, words: words, families: Set(touched.groups.map(\.family)))
        for (index, group) in touched.groups.enumerated() {
            guard progress(Double(index) / Double(touched.groups.count)) else { return nil }
            parts.append(scene.part(group))
        }
    }
}
