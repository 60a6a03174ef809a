/// Reports of nodes: when each last reported, the number of its last report, and how often reports changed its state.
public struct Statements: Sendable {
    public var heartbeats = Heartbeats()
    public var pace = TransitionPace()
    /// A sender of numbered reports: the agents of a node have separate numbers.
    private struct Sender: Hashable {
        let node: String
        let authority: Authority
    }

    private var sequences: [Sender: (number: UInt64, at: Moment)] = [:]

    /// How long a number is remembered at most after the last report, in milliseconds. A sender that restarts its
    /// numbers is accepted again after that, before its silence fails a check.
    static let memory: Int64 = 30_000
    /// The default validity of a report, in milliseconds.
    public static let standardLength: Int64 = 60_000

    public init() {}

    /// A report that was late or repeated.
    public struct Old: Error, Hashable {
        /// The number it must exceed.
        public let last: UInt64

        public init(last: UInt64) { self.last = last }
    }

    /// Records the number of a report.
    ///
    /// - Parameter check: the check that fails when the node is silent.
    /// - Throws: when it is not above that of an earlier one of the last half minute, or of half the check's time.
    public mutating func count(
        _ number: UInt64, of node: String, as authority: Authority = .report, _ check: Check? = nil, at now: Moment
    ) throws(Old) {
        let sender = Sender(node: node, authority: authority)
        let memory = min(Self.memory, (check?.intervalMilliseconds ?? .max) / 2)
        if let last = sequences[sender], now - last.at < memory, number <= last.number {
            throw Old(last: last.number)
        }
        sequences[sender] = (number, now)
    }

    /// Keeps only these from now on.
    public mutating func keep(_ nodes: some Sequence<String>, reporting checks: [String: Check], at now: Moment) {
        let known = Set(nodes)
        sequences = sequences.filter { known.contains($0.key.node) }
        pace.keep(known)
        heartbeats.use(checks, at: now)
    }
}
