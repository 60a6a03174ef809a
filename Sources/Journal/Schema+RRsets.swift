import Foundation
import GRDB

extension Schema {
    static let rrsetTables = """
        CREATE TABLE rrset_changes (
            zone BLOB NOT NULL, owner BLOB NOT NULL, type INTEGER NOT NULL, ttl INTEGER NOT NULL, records BLOB NOT NULL,
            time INTEGER NOT NULL, author TEXT, PRIMARY KEY (zone, owner, type)) WITHOUT ROWID;
        CREATE TABLE zone_serials (zone BLOB PRIMARY KEY, serial INTEGER NOT NULL) WITHOUT ROWID;
        """

    /// None in a file of a version that kept none.
    static func rrsets(_ database: Database) throws -> KeptRRsets {
        var kept = KeptRRsets()
        guard try database.tableExists("rrset_changes"), try database.tableExists("zone_serials") else { return kept }
        let rows = try Row.fetchCursor(
            database, sql: "SELECT zone, owner, type, ttl, records, time, author FROM rrset_changes")
        while let row = try rows.next() {
            let key = KeptRRsetKey(zone: bytes(row, 0), owner: bytes(row, 1), type: UInt16(clamping: row[2] as Int64))
            kept.sets[key] = KeptRRset(
                ttl: UInt32(clamping: row[3] as Int64), records: bytes(row, 4), time: row[5], author: row[6])
        }
        let serials = try Row.fetchCursor(database, sql: "SELECT zone, serial FROM zone_serials")
        while let row = try serials.next() { kept.serials[bytes(row, 0)] = UInt32(clamping: row[1] as Int64) }
        return kept
    }

    private static func bytes(_ row: Row, _ column: Int) -> [UInt8] {
        (try? row.withUnsafeData(atIndex: column) { Array($0 ?? .init()) }) ?? []
    }

    static func write(_ change: KeptRRsetsChange, _ database: Database) throws {
        guard !change.isEmpty else { return }
        let forget = try database.cachedStatement(
            sql: "DELETE FROM rrset_changes WHERE zone = ? AND owner = ? AND type = ?")
        let keep = try database.cachedStatement(
            sql: "INSERT OR REPLACE INTO rrset_changes VALUES (?, ?, ?, ?, ?, ?, ?)")
        for (key, set) in change.sets {
            let (zone, owner) = (Data(key.zone), Data(key.owner))
            if let set {
                try keep.execute(
                    arguments: [zone, owner, key.type, set.ttl, Data(set.records), set.time, set.author])
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
