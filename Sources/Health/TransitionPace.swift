/// How often one who reports may change one node. Each change is a line of the log, a row of the journal and a write to the
/// disk, which a token's holder could ask for as fast as requests come.
public struct TransitionPace: Sendable {
    /// Who changes which node.
    private struct Pair: Hashable {
        let speaker: String
        let node: String
    }

    /// Changes that may come at once, after a long time without any.
    public static let burst = 60
    /// Milliseconds after which one more is allowed.
    public static let interval: Int64 = 1_000
    /// Pairs that are remembered before those are forgotten that owe nothing any more.
    private static let most = 4_096

    /// When all changes so far would have been made, had each waited for its turn.
    private var paid: [Pair: Moment] = [:]

    public init() {}

    /// Milliseconds until `speaker` may change `node` again, above 0; `nil`: now.
    public func wait(for speaker: String, changing node: String, at now: Moment) -> Int64? {
        guard let moment = paid[Pair(speaker: speaker, node: node)] else { return nil }
        let excess = moment - now - (Int64(Self.burst) - 1) * Self.interval
        return excess > 0 ? excess : nil
    }

    /// Takes note of `count` changes, 0 or more.
    public mutating func count(_ count: Int, by speaker: String, changing node: String, at now: Moment) {
        guard count > 0 else { return }
        if paid.count >= Self.most { paid = paid.filter { $0.value > now } }
        let pair = Pair(speaker: speaker, node: node)
        paid[pair] = max(paid[pair] ?? now, now) + Int64(count) * Self.interval
    }

    /// Forgets all others than these nodes.
    public mutating func keep(_ nodes: Set<String>) { paid = paid.filter { nodes.contains($0.key.node) } }
}
