import Foundation
import GRDB
import StateStore

extension Schema {
    static let rrsetTables = """
        CREATE TABLE rrset_changes (
            zone BLOB NOT NULL, owner BLOB NOT NULL, type INTEGER NOT NULL, ttl INTEGER NOT NULL, records BLOB NOT NULL,
            time INTEGER NOT NULL, author TEXT, PRIMARY KEY (zone, owner, type)) WITHOUT ROWID;
        CREATE TABLE zone_serials (zone BLOB PRIMARY KEY, serial INTEGER NOT NULL) WITHOUT ROWID;
        """

    static let rrsetsOfAliases = "ALTER TABLE rrset_changes ADD COLUMN of_alias INTEGER NOT NULL DEFAULT 0"

    static let answersOfAliases = "ALTER TABLE rrset_changes ADD COLUMN answer_ends INTEGER"

    static func rrsets(_ database: Database, badRow: BadRow = { throw $0 }) throws -> KeptRRsets {
        var kept = KeptRRsets()
        // A file of an earlier version is read before it is migrated.
        let columns = Set(try database.columns(in: "rrset_changes").map(\.name))
        let (ofAlias, ends) = (
            columns.contains("of_alias") ? "of_alias" : "0", columns.contains("answer_ends") ? "answer_ends" : "NULL"
        )
        let rows = try Row.fetchCursor(
            database,
            sql: """
                SELECT zone, owner, type, ttl, records, time, author, \(ofAlias), \(ends) FROM rrset_changes
                """)
        while let row = try rows.next() {
            do {
                let key = KeptRRsetKey(
                    zone: try bytes(row, 0), owner: try bytes(row, 1),
                    type: UInt16(clamping: try row.value(2, Int64.self)))
                kept.sets[key] = KeptRRset(
                    ttl: UInt32(clamping: try row.value(3, Int64.self)), records: try bytes(row, 4),
                    time: try row.value(5), author: try row.optional(6), isOfAlias: try row.value(7),
                    answerEnds: try row.optional(8))
            } catch { try badRow(error) }
        }
        let serials = try Row.fetchCursor(database, sql: "SELECT zone, serial FROM zone_serials")
        while let row = try serials.next() {
            do {
                kept.serials[try bytes(row, 0)] = UInt32(clamping: try row.value(1, Int64.self))
            } catch { try badRow(error) }
        }
        return kept
    }

    private static func bytes(_ row: Row, _ column: Int) throws(BadValue) -> [UInt8] {
        Array(try row.value(column, Data.self))
    }

    static func write(_ change: KeptRRsetsChange, _ database: Database) throws {
        guard !change.isEmpty else { return }
        let forget = try database.cachedStatement(
            sql: "DELETE FROM rrset_changes WHERE zone = ? AND owner = ? AND type = ?")
        let keep = try database.cachedStatement(
            sql: """
                INSERT OR REPLACE INTO rrset_changes
                    (zone, owner, type, ttl, records, time, author, of_alias, answer_ends)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """)
        for (key, set) in change.sets {
            let (zone, owner) = (Data(key.zone), Data(key.owner))
            if let set {
                try keep.execute(
                    arguments: [
                        zone, owner, key.type, set.ttl, Data(set.records), set.time, set.author, set.isOfAlias,
                        set.answerEnds,
                    ])
            } else {
                try forget.execute(arguments: [zone, owner, key.type])
            }
        }
        let forgetSerial = try database.cachedStatement(sql: "DELETE FROM zone_serials WHERE zone = ?")
        let keepSerial = try database.cachedStatement(sql: "INSERT OR REPLACE INTO zone_serials VALUES (?, ?)")
        for (zone, serial) in change.serials {
            if let serial {
                try keepSerial.execute(arguments: [Data(zone), serial])
            } else {
                try forgetSerial.execute(arguments: [Data(zone)])
            }
        }
    }
}
