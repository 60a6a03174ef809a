/// What nodes say by themselves: when each was last heard, the number of what it said, and how often that changed a state.
public struct Statements: Sendable {
    public var heartbeats = Heartbeats()
    public var pace = TransitionPace()
    /// Who counts: a node's agents have numbers of their own.
    private struct Voice: Hashable {
        let node: String
        let authority: Authority
    }

    private var sequences: [Voice: (number: UInt64, at: Moment)] = [:]

    /// How long a number is remembered at most after the last report, in milliseconds: one that counts anew is heard again
    /// then, before its silence fails a check.
    static let memory: Int64 = 30_000
    /// What a statement is good for when it does not say, in milliseconds.
    public static let standardLength: Int64 = 60_000

    public init() {}

    /// A statement that came late, or twice.
    public struct Old: Error, Hashable {
        /// The number it must be above.
        public let last: UInt64

        public init(last: UInt64) { self.last = last }
    }

    /// Takes note of a statement's number.
    ///
    /// - Parameter check: that fails when the node is silent.
    /// - Throws: when it is not above that of an earlier one of the last half minute, or half of the check's time.
    public mutating func count(
        _ number: UInt64, of node: String, as authority: Authority = .report, _ check: Check? = nil, at now: Moment
    ) throws(Old) {
        let voice = Voice(node: node, authority: authority)
        let memory = min(Self.memory, (check?.intervalMilliseconds ?? .max) / 2)
        if let last = sequences[voice], now - last.at < memory, number <= last.number {
            throw Old(last: last.number)
        }
        sequences[voice] = (number, now)
    }

    /// Only these are heard from now on.
    public mutating func keep(_ nodes: some Sequence<String>, reporting checks: [String: Check], at now: Moment) {
        let known = Set(nodes)
        sequences = sequences.filter { known.contains($0.key.node) }
        pace.keep(known)
        heartbeats.use(checks, at: now)
    }
}
