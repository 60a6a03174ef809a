import Foundation
import GRDB
import StateStore

/// The history of record changes.
extension Schema {
    static let recordHistory = """
        CREATE TABLE record_history (
            id INTEGER PRIMARY KEY, number INTEGER NOT NULL, time INTEGER NOT NULL, zone BLOB NOT NULL,
            owner BLOB NOT NULL, type INTEGER NOT NULL, before_ttl INTEGER, before BLOB, after_ttl INTEGER, after BLOB,
            serial INTEGER NOT NULL, author TEXT, UNIQUE (number, zone, owner, type));
        CREATE INDEX record_history_of_name ON record_history (zone, owner, type);
        """

    /// Rows already there, from a transaction that was wrongly taken for failed, stay.
    static func write(_ history: [KeptRecordChange], striking struck: Set<UInt64>, _ database: Database) throws {
        if !struck.isEmpty {
            let strike = try database.cachedStatement(sql: "DELETE FROM record_history WHERE number = ?")
            for number in struck { try strike.execute(arguments: [Int64(clamping: number)]) }
        }
        guard !history.isEmpty else { return }
        let insert = try database.cachedStatement(
            sql: """
                INSERT OR IGNORE INTO record_history
                (number, time, zone, owner, type, before_ttl, before, after_ttl, after, serial, author)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """)
        for change in history {
            try insert.execute(
                arguments: [
                    Int64(clamping: change.number), change.time, Data(change.key.zone), Data(change.key.owner),
                    change.key.type, change.before?.ttl, change.before.map { Data($0.records) }, change.after?.ttl,
                    change.after.map { Data($0.records) }, change.serial, change.author,
                ])
        }
    }

    /// The latest first; those of one request in the order in which they were made.
    static func recordHistory(_ query: RecordHistoryQuery, _ database: Database) throws -> [KeptRecordChange] {
        var (conditions, arguments): ([String], StatementArguments) = ([], [])
        func require(_ column: String, _ value: (any DatabaseValueConvertible)?) {
            guard let value else { return }
            conditions.append("\(column) = ?")
            arguments += [value]
        }
        require("zone", query.zone.map { Data($0) })
        require("owner", query.owner.map { Data($0) })
        require("type", query.type.map { Int64($0) })
        require("number", query.number.map { Int64(clamping: $0) })
        let which = conditions.isEmpty ? "" : "WHERE " + conditions.joined(separator: " AND ")
        return try Row.fetchAll(
            database,
            sql: """
                SELECT number, time, zone, owner, type, before_ttl, before, after_ttl, after, serial, author
                FROM record_history \(which) ORDER BY number DESC, id LIMIT ?
                """, arguments: arguments + [query.limit]
        ).map { row in
            KeptRecordChange(
                number: UInt64(clamping: try row.value(0, Int64.self)), time: try row.value(1),
                key: KeptRRsetKey(
                    zone: Array(try row.value(2, Data.self)), owner: Array(try row.value(3, Data.self)),
                    type: UInt16(clamping: try row.value(4, Int64.self))),
                before: try content(row, 5), after: try content(row, 7),
                serial: UInt32(clamping: try row.value(9, Int64.self)), author: try row.optional(10))
        }
    }

    /// The TTL in a column, and the records in the next one.
    private static func content(_ row: Row, _ column: Int) throws -> KeptRecordChange.Content? {
        guard let ttl: Int64 = try row.optional(column), let records: Data = try row.optional(column + 1) else {
            return nil
        }
        return KeptRecordChange.Content(ttl: UInt32(clamping: ttl), records: Array(records))
    }

    /// Deletes the oldest requests beyond `limit` RRsets. A request is kept or deleted as a whole: one that is kept in
    /// part could not be undone.
    static func pruneRecordHistory(to limit: Int, _ database: Database) throws {
        try database.execute(
            sql: """
                DELETE FROM record_history WHERE number < (
                    SELECT number FROM record_history ORDER BY id DESC LIMIT 1 OFFSET ?)
                """, arguments: [max(0, limit - 1)])
    }
}
