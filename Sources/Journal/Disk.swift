import Foundation
import SQLite

/// The database file of a journal, open and sound. What blocks runs on the queues of its connections.
struct Disk: Sendable {
    /// What is written at once, whole or not at all.
    struct Batch: Sendable {
        var records: [JournalRecord] = []
        var nodes: [String: KeptNode?] = [:]
        var rrsets = KeptRRsetsChange()
        /// Numbers to take for this process.
        var numbers: UInt64 = 0
        /// They are not below this one.
        var floor: UInt64 = 0
        /// Numbers that this process does not need any more.
        var surplus: Range<UInt64>?
        /// Changes beyond so many go, the oldest first; `nil`: not now, since they must be counted for that.
        var limit: Int?
    }

    let path: String
    /// Waits for no reader.
    private let writer: DatabaseQueue
    /// Waits for no writer.
    private let reader: DatabaseQueue
    private let file: FileIdentity?

    /// Opens the file, and makes it where there is none.
    ///
    /// - Throws: a `DatabaseError`, of a later version a `JournalProblem`.
    init(path: String) throws {
        self.path = path
        let folder = (path as NSString).deletingLastPathComponent
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        // Another process may be writing, a predecessor for the last time: the connections are patient.
        writer = try DatabaseQueue(path: path)
        try writer.withoutTransaction { database in
            // FULL: what a person was told is kept stays kept when the power fails.
            try database.execute(
                "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 4194304")
        }
        if try writer.read(Schema.isLater) { throw Self.laterVersion(path) }
        let finding = try writer.read { try $0.first("PRAGMA quick_check(1)", String.self) }
        guard finding == "ok" else { throw DatabaseError(.corrupt, finding ?? "") }
        try writer.write(Schema.create)
        reader = try DatabaseQueue(path: path)
        file = FileIdentity(path)
    }

    static func laterVersion(_ path: String) -> JournalProblem {
        JournalProblem(
            "\(path) was written by a later nearcastd: run that one, or move the file away; without it nobody knows who "
                + "was drained")
    }

    func nodes() throws -> [String: KeptNode] { try reader.read { try Schema.nodes($0) } }

    func rrsets() throws -> KeptRRsets { try reader.read { try Schema.rrsets($0) } }

    /// Whether the file at the path is still the one that is open.
    var isCurrent: Bool { FileIdentity(path) == file }

    /// Leaves one file, unless another process has it open.
    func close() {
        reader.close()
        try? writer.withoutTransaction { try $0.execute("PRAGMA wal_checkpoint(TRUNCATE)") }
        writer.close()
    }

    /// - Returns: the numbers taken, where they were asked for.
    func write(_ batch: Batch) async throws -> Range<UInt64>? {
        try await writer.write { database in
            try Schema.write(batch.records, database)
            try Schema.write(batch.nodes, database)
            try Schema.write(batch.rrsets, database)
            if let limit = batch.limit { try Schema.prune(to: limit, database) }
            if let surplus = batch.surplus { try Schema.giveBack(surplus, database) }
            return batch.numbers > 0 ? try Schema.takeNumbers(batch.numbers, from: batch.floor, database) : nil
        }
    }

    func records(of node: String, limit: Int) async throws -> [JournalRecord] {
        try await reader.read { try Schema.records(of: node, limit: limit, $0).all() }
    }

    func records(after sequence: UInt64, limit: Int) async throws -> [JournalRecord] {
        try await reader.read { try Schema.records(after: sequence, limit: limit, $0).all() }
    }
}
