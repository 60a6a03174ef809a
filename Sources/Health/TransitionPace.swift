/// Limits how often one sender may change one node. Each change is a log line, a journal row and a disk write, which
/// the holder of a token could otherwise cause as fast as requests arrive.
public struct TransitionPace: Sendable {
    /// A sender and the node it changes.
    private struct Pair: Hashable {
        let sender: String
        let node: String
    }

    /// The burst: changes allowed at once after a long quiet time.
    public static let burst = 60
    /// Milliseconds after which one more is allowed.
    public static let interval: Int64 = 1_000
    /// Above this many pairs, those with a full budget are dropped.
    private static let most = 4_096

    /// When all changes so far would be done, had each waited its turn.
    private var paid: [Pair: Moment] = [:]

    public init() {}

    /// Milliseconds until `sender` may change `node` again, above 0. `nil`: now.
    public func wait(for sender: String, changing node: String, at now: Moment) -> Int64? {
        guard let moment = paid[Pair(sender: sender, node: node)] else { return nil }
        let excess = moment - now - (Int64(Self.burst) - 1) * Self.interval
        return excess > 0 ? excess : nil
    }

    /// Records `count` changes, 0 or more.
    public mutating func count(_ count: Int, by sender: String, changing node: String, at now: Moment) {
        guard count > 0 else { return }
        if paid.count >= Self.most { paid = paid.filter { $0.value > now } }
        let pair = Pair(sender: sender, node: node)
        paid[pair] = max(paid[pair] ?? now, now) + Int64(count) * Self.interval
    }

    /// Keeps only these nodes.
    public mutating func keep(_ nodes: Set<String>) { paid = paid.filter { nodes.contains($0.key.node) } }
}
