import Foundation
import GRDB
import StateStore

/// The open, intact database file of a journal. Blocking work runs on GRDB's queues.
struct Disk: Sendable {
    /// What one transaction writes.
    struct Batch: Sendable {
        var records: [NodeTransition] = []
        var nodes: [String: KeptNode?] = [:]
        var rrsets = KeptRRsetsChange()
        /// How many numbers to reserve for this process.
        var numbers: UInt64 = 0
        /// The lowest number to reserve.
        var floor: UInt64 = 0
        /// Numbers that this process returns.
        var surplus: Range<UInt64>?
        /// The maximum number of changes to keep; the oldest are deleted. `nil`: skip this, since it requires counting
        /// them.
        var limit: Int?
    }

    let path: String
    private let pool: DatabasePool
    private let file: FileIdentity?

    /// Opens the file, or creates it.
    ///
    /// - Throws: a `DatabaseError`, or a `JournalProblem` for a file of a later version.
    init(path: String) throws {
        self.path = path
        let folder = (path as NSString).deletingLastPathComponent
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        var configuration = Configuration()
        // Another process may be writing: a predecessor, for the last time.
        configuration.busyMode = .timeout(5)
        configuration.maximumReaderCount = 2
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA journal_size_limit = 4194304")
        }
        pool = try DatabasePool(path: path, configuration: configuration)
        // A change that was confirmed survives a power failure. The pool is created with a weaker setting.
        try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
        let isLater = try pool.read { try Schema.migrator.hasBeenSuperseded($0) }
        if isLater { throw Self.laterVersion(path) }
        let findings = try pool.read { try String.fetchAll($0, sql: "PRAGMA quick_check(1)") }
        guard findings == ["ok"] else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: findings.first ?? "")
        }
        try Schema.migrator.migrate(pool)
        file = FileIdentity(path)
    }

    static func laterVersion(_ path: String) -> JournalProblem {
        JournalProblem(
            "\(path) was written by a newer nearcastd: run that version, or move the file away; without it drained nodes "
                + "are forgotten")
    }

    func nodes() throws -> [String: KeptNode] { try pool.read { try Schema.nodes($0) } }

    func rrsets() throws -> KeptRRsets { try pool.read { try Schema.rrsets($0) } }

    /// Whether the path still leads to the open file.
    var isCurrent: Bool { FileIdentity(path) == file }

    /// Merges the write-ahead log into the file, unless another process has it open.
    func close() {
        _ = try? pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
        try? pool.close()
    }

    /// - Returns: the reserved numbers, if requested.
    func write(_ batch: Batch) async throws -> Range<UInt64>? {
        try await pool.write { database in
            try Schema.write(batch.records, database)
            try Schema.write(batch.nodes, database)
            try Schema.write(batch.rrsets, database)
            try Schema.write(batch.rrsets.history, striking: batch.rrsets.struck, database)
            if let limit = batch.limit {
                try Schema.prune(to: limit, database)
                try Schema.pruneRecordHistory(to: limit, database)
            }
            if let surplus = batch.surplus { try Schema.giveBack(surplus, database) }
            return batch.numbers > 0 ? try Schema.takeNumbers(batch.numbers, from: batch.floor, database) : nil
        }
    }

    func recordHistory(_ query: RecordHistoryQuery) async throws -> [KeptRecordChange] {
        try await pool.read { try Schema.recordHistory(query, $0) }
    }

    func records(of node: String?, limit: Int) async throws -> [NodeTransition] {
        try await pool.read { try Array(Schema.records(of: node, limit: limit, $0)) }
    }

    func records(after sequence: UInt64, limit: Int) async throws -> [NodeTransition] {
        try await pool.read { try Array(Schema.records(after: sequence, limit: limit, $0)) }
    }
}
