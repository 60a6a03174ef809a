/// What nodes say by themselves: when each was last heard, and the number of what it said.
public struct Statements: Sendable {
    public var heartbeats = Heartbeats()
    private var sequences: [String: (number: UInt64, at: Moment)] = [:]

    /// How long a number is remembered after the last report of its node: one that counts anew is heard again then.
    static let memory: Int64 = 60_000
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
    /// - Throws: when it is not above that of an earlier one of the last minute.
    public mutating func count(_ number: UInt64, of node: String, at now: Moment) throws(Old) {
        if let last = sequences[node], now - last.at < Self.memory, number <= last.number {
            throw Old(last: last.number)
        }
        sequences[node] = (number, now)
    }

    /// Only these are heard from now on.
    public mutating func keep(_ nodes: some Sequence<String>, reporting checks: [String: Check], at now: Moment) {
        let known = Set(nodes)
        sequences = sequences.filter { known.contains($0.key) }
        heartbeats.use(checks, at: now)
    }
}
