import GRDB
import StateStore

/// The tables, and the migrations that create them. Migrations only add: if a successor of a later version dies, the
/// older daemon resumes and writes the tables it knows.
enum Schema {
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { database in
            try database.execute(
                sql: """
                    CREATE TABLE transitions (
                        sequence INTEGER PRIMARY KEY, time INTEGER NOT NULL, node TEXT NOT NULL, before TEXT NOT NULL,
                        after TEXT NOT NULL, cause TEXT NOT NULL, authority TEXT NOT NULL, evidence TEXT, author TEXT,
                        epoch INTEGER NOT NULL);
                    CREATE INDEX transitions_of_node ON transitions (node, sequence);
                    CREATE TABLE nodes (
                        id TEXT PRIMARY KEY, slot INTEGER NOT NULL, verdict TEXT, changed INTEGER, set_by TEXT);
                    CREATE TABLE claims (
                        node TEXT NOT NULL, authority TEXT NOT NULL, state TEXT NOT NULL, share INTEGER NOT NULL,
                        begins INTEGER, ends INTEGER, forced INTEGER NOT NULL, begun INTEGER NOT NULL,
                        author TEXT NOT NULL);
                    CREATE INDEX claims_of_node ON claims (node);
                    CREATE TABLE numbers (id INTEGER PRIMARY KEY CHECK (id = 1), taken INTEGER NOT NULL);
                    INSERT INTO numbers VALUES (1, 1);
                    """ + rrsetTables)
        }
        migrator.registerMigration("2") { database in
            try database.execute(sql: "ALTER TABLE transitions ADD COLUMN family TEXT")
        }
        migrator.registerMigration("3") { try $0.execute(sql: recordHistory) }
        migrator.registerMigration("4") { try $0.execute(sql: rrsetsOfAliases) }
        migrator.registerMigration("5") { try $0.execute(sql: answersOfAliases) }
        return migrator
    }

    /// Handles a row with values of the wrong type, which SQLite permits and damage causes: rethrows, or returns to
    /// skip the row.
    typealias BadRow = (BadValue) throws -> Void

    // MARK: - Nodes

    static func nodes(_ database: Database, badRow: BadRow = { throw $0 }) throws -> [String: KeptNode] {
        var nodes: [String: KeptNode] = [:]
        let rows = try Row.fetchCursor(database, sql: "SELECT id, slot, verdict, changed, set_by FROM nodes")
        while let row = try rows.next() {
            do {
                nodes[try row.value(0)] = KeptNode(
                    slot: try row.value(1), verdict: try row.optional(2),
                    changedAt: try row.optional(3), setBy: try row.optional(4))
            } catch { try badRow(error) }
        }
        let claims = try Row.fetchCursor(
            database,
            sql: """
                SELECT node, authority, state, share, begins, ends, forced, begun, author FROM claims ORDER BY rowid
                """)
        while let row = try claims.next() {
            do {
                let claim = KeptClaim(
                    authority: try row.value(1), state: try row.value(2),
                    share: try row.value(3), begins: try row.optional(4),
                    ends: try row.optional(5), isForced: try row.value(6),
                    hasBegun: try row.value(7), author: try row.value(8))
                nodes[try row.value(0)]?.claims.append(claim)
            } catch { try badRow(error) }
        }
        return nodes
    }

    /// - Parameter nodes: `nil` deletes.
    static func write(_ nodes: [String: KeptNode?], _ database: Database) throws {
        let forgetClaims = try database.cachedStatement(sql: "DELETE FROM claims WHERE node = ?")
        let forget = try database.cachedStatement(sql: "DELETE FROM nodes WHERE id = ?")
        let node = try database.cachedStatement(sql: "INSERT OR REPLACE INTO nodes VALUES (?, ?, ?, ?, ?)")
        let claim = try database.cachedStatement(sql: "INSERT INTO claims VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")
        for (id, kept) in nodes {
            try forgetClaims.execute(arguments: [id])
            guard let kept else {
                try forget.execute(arguments: [id])
                continue
            }
            try node.execute(arguments: [id, kept.slot, kept.verdict, kept.changedAt, kept.setBy])
            for one in kept.claims {
                try claim.execute(
                    arguments: [
                        id, one.authority, one.state, one.share, one.begins, one.ends, one.isForced, one.hasBegun,
                        one.author,
                    ])
            }
        }
    }

    // MARK: - Changes

    /// Rows already there, from a transaction that was wrongly taken for failed, stay.
    static func write(_ records: [NodeTransition], _ database: Database) throws {
        let insert = try database.cachedStatement(
            sql: "INSERT OR IGNORE INTO transitions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        for record in records {
            try insert.execute(
                arguments: [
                    Int64(clamping: record.sequence), record.time, record.node, record.from, record.to, record.cause,
                    record.authority, record.evidence, record.author, Int64(clamping: record.epoch),
                    record.family,
                ])
        }
    }

    /// The latest first, of all nodes if none is given.
    static func records(of node: String?, limit: Int, _ database: Database) throws -> RecordCursor {
        let which = node == nil ? "" : "WHERE node = ?"
        return try records("\(which) ORDER BY sequence DESC", node.map { [$0, limit] } ?? [limit], database)
    }

    /// The first ones after number `sequence`, in order.
    static func records(after sequence: UInt64, limit: Int, _ database: Database) throws -> RecordCursor {
        try records("WHERE sequence > ? ORDER BY sequence", [Int64(clamping: sequence), limit], database)
    }

    private static func records(
        _ which: String, _ arguments: StatementArguments, _ database: Database
    ) throws -> RecordCursor {
        try Row.fetchCursor(
            database,
            sql: """
                SELECT sequence, time, node, before, after, cause, authority, evidence, author, epoch, family
                FROM transitions \(which) LIMIT ?
                """, arguments: arguments
        ).map { row in
            NodeTransition(
                sequence: UInt64(clamping: try row.value(0, Int64.self)), time: try row.value(1),
                node: try row.value(2), from: try row.value(3), to: try row.value(4),
                cause: try row.value(5), authority: try row.value(6),
                evidence: try row.optional(7), author: try row.optional(8),
                epoch: UInt64(clamping: try row.value(9, Int64.self)), family: try row.optional(10))
        }
    }

    typealias RecordCursor = MapCursor<RowCursor, NodeTransition>

    /// Deletes the oldest beyond `limit`.
    static func prune(to limit: Int, _ database: Database) throws {
        try database.execute(
            sql: """
                DELETE FROM transitions WHERE sequence <= (
                    SELECT sequence FROM transitions ORDER BY sequence DESC LIMIT 1 OFFSET ?)
                """, arguments: [limit])
    }

    // MARK: - Numbers

    /// Reserves the next `count` numbers for this process.
    static func takeNumbers(_ count: UInt64, from floor: UInt64 = 0, _ database: Database) throws -> Range<UInt64> {
        let first = max(try taken(database), floor)
        try database.execute(sql: "UPDATE numbers SET taken = ?", arguments: [Int64(clamping: first + count)])
        return first..<(first + count)
    }

    /// Returns the rest of a range, unless numbers after it were reserved.
    static func giveBack(_ range: Range<UInt64>, _ database: Database) throws {
        try database.execute(
            sql: "UPDATE numbers SET taken = ? WHERE taken = ?",
            arguments: [Int64(clamping: range.lowerBound), Int64(clamping: range.upperBound)])
    }

    /// The first free number: above all in the table too.
    static func taken(_ database: Database) throws -> UInt64 {
        let taken = try Int64.fetchOne(database, sql: "SELECT taken FROM numbers") ?? 1
        let last = try Int64.fetchOne(database, sql: "SELECT max(sequence) FROM transitions") ?? 0
        let lastOfRecords = try Int64.fetchOne(database, sql: "SELECT max(number) FROM record_history") ?? 0
        return UInt64(max(taken, last + 1, lastOfRecords + 1))
    }
}
