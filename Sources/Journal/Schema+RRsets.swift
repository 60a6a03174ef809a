import SQLite

extension Schema {
    static let rrsetTables = """
        CREATE TABLE rrset_changes (
            zone BLOB NOT NULL, owner BLOB NOT NULL, type INTEGER NOT NULL, ttl INTEGER NOT NULL, records BLOB NOT NULL,
            time INTEGER NOT NULL, author TEXT, PRIMARY KEY (zone, owner, type)) WITHOUT ROWID;
        CREATE TABLE zone_serials (zone BLOB PRIMARY KEY, serial INTEGER NOT NULL) WITHOUT ROWID;
        """

    static func rrsets(_ database: Database, badRow: BadRow = { throw $0 }) throws -> KeptRRsets {
        var kept = KeptRRsets()
        let rows = try database.rows(
            "SELECT zone, owner, type, ttl, records, time, author FROM rrset_changes")
        while let row = try rows.next() {
            do {
                let key = KeptRRsetKey(
                    zone: try row.value(0), owner: try row.value(1),
                    type: UInt16(clamping: try row.value(2, Int64.self)))
                kept.sets[key] = KeptRRset(
                    ttl: UInt32(clamping: try row.value(3, Int64.self)), records: try row.value(4),
                    time: try row.value(5), author: try row.optional(6))
            } catch { try badRow(error) }
        }
        let serials = try database.rows("SELECT zone, serial FROM zone_serials")
        while let row = try serials.next() {
            do {
                kept.serials[try row.value(0)] = UInt32(clamping: try row.value(1, Int64.self))
            } catch { try badRow(error) }
        }
        return kept
    }

    static func write(_ change: KeptRRsetsChange, _ database: Database) throws {
        guard !change.isEmpty else { return }
        let forget = try database.cachedStatement(
            "DELETE FROM rrset_changes WHERE zone = ? AND owner = ? AND type = ?")
        let keep = try database.cachedStatement(
            "INSERT OR REPLACE INTO rrset_changes VALUES (?, ?, ?, ?, ?, ?, ?)")
        for (key, set) in change.sets {
            if let set {
                try keep.execute(
                    [key.zone, key.owner, key.type, set.ttl, set.records, set.time, set.author])
            } else {
                try forget.execute([key.zone, key.owner, key.type])
            }
        }
        let forgetSerial = try database.cachedStatement("DELETE FROM zone_serials WHERE zone = ?")
        let keepSerial = try database.cachedStatement("INSERT OR REPLACE INTO zone_serials VALUES (?, ?)")
        for (zone, serial) in change.serials {
            if let serial {
                try keepSerial.execute([zone, serial])
            } else {
                try forgetSerial.execute([zone])
            }
        }
    }
}
