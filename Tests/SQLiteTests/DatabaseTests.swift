import Foundation
import SQLite
import Testing

@Suite struct DatabaseTests {
    private static let patience: Int32 = 60_000
    let path = FileManager.default.temporaryDirectory.appending(path: "nct-sqlite-\(UUID().uuidString)").path

    private func opened(_ access: Database.Access = .readWrite, patience: Int32 = patience) throws -> DatabaseQueue {
        try DatabaseQueue(path: path, access, patience: patience)
    }

    private func removed<Result>(_ body: () throws -> Result) rethrows -> Result {
        defer { for suffix in ["", "-journal", "-wal", "-shm"] { unlink(path + suffix) } }
        return try body()
    }

    @Test("values of every type come back as they were written, empty ones too, and NULL as nothing")
    func values() throws {
        try removed {
            try opened().write { database in
                try database.execute("CREATE TABLE t (a, b, c, d, e, f, g)")
                try database.execute(
                    "INSERT INTO t VALUES (?, ?, ?, ?, ?, ?, ?)",
                    [Int64.min, UInt32.max, true, "ümlaut", "", [0, 255] as [UInt8], [] as [UInt8]])
                try database.execute("INSERT INTO t (a) VALUES (?)", [nil])
                let rows = try database.rows("SELECT * FROM t")
                let row = try #require(try rows.next())
                #expect(try row.value(0, Int64.self) == .min)
                #expect(try row.value(1, Int.self) == Int(UInt32.max))
                #expect(try row.value(2, Bool.self))
                #expect(try row.value(3, String.self) == "ümlaut")
                #expect(try row.value(4, String.self) == "")
                #expect(try row.value(5, [UInt8].self) == [0, 255])
                #expect(try row.value(6, [UInt8].self) == [])
                let empty = try #require(try rows.next())
                #expect(try empty.optional(0) as Int64? == nil)
                #expect(try rows.next() == nil)
            }
        }
    }

    @Test("a value of another type is none, whatever SQLite could make of it")
    func badValues() throws {
        try removed {
            try opened().write { database in
                let rows = try database.rows("SELECT '12', 12, x'3132', NULL, 1.5")
                let row = try #require(try rows.next())
                for column in [0, 2, 3, 4] { #expect(throws: BadValue.self) { try row.value(column, Int64.self) } }
                for column in [1, 2, 3, 4] { #expect(throws: BadValue.self) { try row.value(column, String.self) } }
                for column in [0, 1, 3, 4] { #expect(throws: BadValue.self) { try row.value(column, [UInt8].self) } }
                #expect(throws: BadValue.self) { try row.optional(0) as Int64? }
            }
        }
    }

    @Test("a statement can be executed again, with other arguments")
    func cached() throws {
        try removed {
            try opened().write { database in
                try database.execute("CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT)")
                for number in 0..<3 {
                    let insert = try database.cachedStatement("INSERT INTO t VALUES (?, ?)")
                    try insert.execute([number, number == 1 ? nil : "x"])
                }
                let error = #expect(throws: DatabaseError.self) {
                    try database.cachedStatement("INSERT INTO t VALUES (?, ?)").execute([2, "x"])
                }
                #expect(error?.code == .constraint && error?.message == "UNIQUE constraint failed: t.a")
                try database.cachedStatement("INSERT INTO t VALUES (?, ?)").execute([3, "x"])
                #expect(try database.first("SELECT count(b) FROM t", Int64.self) == 3)
                #expect(try database.first("SELECT b FROM t WHERE a = 1", String.self) == nil)
            }
        }
    }

    @Test("what fails leaves nothing of its transaction")
    func rollback() async throws {
        let queue = try opened()
        try await queue.write { try $0.execute("CREATE TABLE t (a)") }
        await #expect(throws: DatabaseError.self) {
            try await queue.write { database in
                try database.execute("INSERT INTO t VALUES (1)")
                try database.execute("INSERT INTO nowhere VALUES (1)")
            }
        }
        let count = try await queue.read { try $0.first("SELECT count(*) FROM t", Int64.self) }
        #expect(count == 0)
        removed { queue.close() }
    }

    @Test("two connections: one reads while the other writes, and a second one that writes waits, or is told")
    func concurrent() throws {
        try removed {
            let (first, second) = (try opened(), try opened(patience: 0))
            try first.withoutTransaction { try $0.execute("PRAGMA journal_mode = WAL; CREATE TABLE t (a)") }
            try first.write { database in
                try database.execute("INSERT INTO t VALUES (1)")
                #expect(try second.read { try $0.first("SELECT count(*) FROM t", Int64.self) } == 0)
                let error = #expect(throws: DatabaseError.self) { try second.write { _ in } }
                #expect(error?.code == .busy && error?.message == "database is locked")
            }
            #expect(try second.read { try $0.first("SELECT count(*) FROM t", Int64.self) } == 1)
        }
    }

    @Test("a file that is not there is made by who writes, and not by who reads")
    func access() throws {
        try removed {
            let missing = #expect(throws: DatabaseError.self) { try opened(.readOnly) }
            #expect(missing?.code == .cannotOpen && missing?.message == "unable to open database file")
            try opened().write { try $0.execute("CREATE TABLE t (a)") }
            let error = try #require(throws: DatabaseError.self) {
                try opened(.readOnly).write { try $0.execute("INSERT INTO t VALUES (1)") }
            }
            #expect(error.code == .readOnly)
        }
    }

    @Test("a file that is no database is told so, and a closed one too")
    func unusable() throws {
        try removed {
            try Data(repeating: 7, count: 8_192).write(to: URL(filePath: path))
            let queue = try opened()
            let error = #expect(throws: DatabaseError.self) {
                try queue.read { try $0.first("PRAGMA user_version", Int64.self) }
            }
            #expect(error?.code == .notADatabase && error?.message == "file is not a database")
            queue.close()
            let closed = #expect(throws: DatabaseError.self) { try queue.read { _ in } }
            #expect(closed?.code == .misuse)
        }
    }
}
