/// Where the control plane keeps what outlives the process: the nodes' states and their history, and changed RRsets.
///
/// Implementations: ``Journal`` (SQLite). A store never decides anything, and an answer never needs it: while it is away,
/// writes wait in memory and are counted.
public protocol StateStore: Sendable {
    /// Where it is, for messages: a path or an address.
    var path: String { get }
    /// What is known of the nodes, by id.
    var nodes: [String: KeptNode] { get }
    /// All RRsets that were changed one by one.
    var rrsets: KeptRRsets { get }
    /// Number of the last event.
    var latest: UInt64 { get }
    /// Events that are not on the disk yet.
    var backlog: Int { get }
    /// Events given up because the disk took none for long.
    var lost: Int { get }

    /// The number of the next event, which no other has, in this process or another.
    func nextNumber() -> UInt64

    /// Writes events and what is known of nodes soon, together. Returns at once.
    ///
    /// - Parameters:
    ///   - records: with numbers from ``nextNumber()``, in order.
    ///   - nodes: by id; `nil` removes.
    func write(_ records: [NodeTransition], nodes: [String: KeptNode?])

    /// Returns when the change is on the disk.
    ///
    /// - Returns: why it could not be written; then the store is as before.
    func keep(_ change: KeptRRsetsChange) async -> JournalProblem?

    /// Returns when everything written before is on the disk.
    ///
    /// - Returns: why it is not.
    func flush() async -> JournalProblem?

    /// Tries again what failed some time ago; called now and then.
    func retry()

    /// Writes everything, and gives the numbers that are left back: a successor goes on from there.
    func handOver() async -> JournalProblem?

    /// The successor is gone: what this process knows is the truth again.
    func resume() async -> JournalProblem?

    /// Writes everything, and closes.
    func close() async -> JournalProblem?

    /// What the store has of changed RRsets now, read from the disk: a successor may have written meanwhile.
    func readRRsets() throws(JournalProblem) -> KeptRRsets

    /// Events after the one numbered `sequence`, in order: at most `limit`.
    func changes(after sequence: UInt64, limit: Int) async throws(JournalProblem) -> [NodeTransition]

    /// Events of a node, the latest first: at most `limit`.
    func history(of node: String, limit: Int) async throws(JournalProblem) -> [NodeTransition]
}
