/// Persistent state of the control plane: the nodes' states and their history, and record changes.
///
/// Implementations: ``Journal`` (SQLite). A store never decides anything, and no answer depends on it: while it is
/// unavailable, writes wait in memory and are counted.
public protocol StateStore: Sendable {
    /// Its path or address, for messages.
    var path: String { get }
    /// The known state of the nodes, by id.
    var nodes: [String: KeptNode] { get }
    /// All record changes.
    var rrsets: KeptRRsets { get }
    /// Number of the last event.
    var latest: UInt64 { get }
    /// Events that are not on disk yet.
    var backlog: Int { get }
    /// Events dropped because the disk was unavailable for too long.
    var lost: Int { get }

    /// The number of the next event. It is unique, in this process and all others.
    func nextNumber() -> UInt64

    /// Queues events and node states to be written soon, together. Returns at once.
    ///
    /// - Parameters:
    ///   - records: with numbers from ``nextNumber()``, in order.
    ///   - nodes: by id; `nil` deletes.
    func write(_ records: [NodeTransition], nodes: [String: KeptNode?])

    /// Returns when the change is on disk.
    ///
    /// - Returns: why it could not be written. The store is unchanged then.
    func keep(_ change: KeptRRsetsChange) async -> JournalProblem?

    /// Returns when everything queued before is on disk.
    ///
    /// - Returns: why it is not.
    func flush() async -> JournalProblem?

    /// Retries failed writes. Called now and then.
    func retry()

    /// Writes everything and returns unused numbers, from which a successor continues.
    func handOver() async -> JournalProblem?

    /// The successor is gone: this process owns the state again.
    func resume() async -> JournalProblem?

    /// Writes everything, and closes.
    func close() async -> JournalProblem?

    /// The current record changes, read from disk: a successor may have written some.
    func readRRsets() throws(JournalProblem) -> KeptRRsets

    /// Events after number `sequence`, in order. At most `limit`.
    func changes(after sequence: UInt64, limit: Int) async throws(JournalProblem) -> [NodeTransition]

    /// Changes of records, the latest first. Those of one request are in the order in which they were made.
    func recordHistory(_ query: RecordHistoryQuery) async throws(JournalProblem) -> [KeptRecordChange]

    /// Events of a node, or of all if none is given, the latest first. At most `limit`.
    func history(of node: String?, limit: Int) async throws(JournalProblem) -> [NodeTransition]
}
