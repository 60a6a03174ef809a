import Foundation
import GRDB
import Journal
import StateStore
import Synchronization
import Testing

/// Files that are damaged, moved, later than this version, or cannot be written.
@Suite struct JournalDamageTests {
    let folder = StateFolder()

    private func filled() async throws {
        let journal = try await folder.open()
        journal.add(2_000)
        journal.write(nodes: ["fra1": drained])
        #expect(await journal.close() == nil)
    }

    @Test("a file of garbage is renamed and reported, and numbers continue above every earlier one")
    func garbage() async throws {
        let bytes = (0..<9_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 7) }
        try folder.write("nearcast.db", bytes)
        #expect(try Journal.peek(folder: folder.path) == [:])
        let journal = try await folder.open()
        let aside = try #require(folder.files.first { $0.contains(".damaged-") })
        #expect(try Data(contentsOf: URL(filePath: folder.path + "/" + aside)) == Data(bytes))
        #expect(folder.told.contains("nearcast.db is damaged (file is not a database) and was renamed to"))
        #expect(folder.told.contains("check with `nearcast node list` which nodes have to be drained again"))
        #expect(journal.nextNumber() > 1_700_000_000_000)
        journal.add(1)
        #expect(await journal.flush() == nil)
        #expect(try await journal.numbers().count == 1)
    }

    @Test("from a file with a damaged history all nodes are recovered, and the transitions that can be read")
    func history() async throws {
        try await filled()
        // A page in the middle of the transitions.
        let size = try #require(try FileManager.default.attributesOfItem(atPath: folder.database)[.size] as? UInt64)
        #expect(size > 100_000)
        try folder.spoil(at: size / 4096 / 2 * 4096, count: 4096)
        let journal = try await folder.open()
        #expect(journal.nodes == ["fra1": drained])
        #expect(folder.told.contains("the state of 1 nodes was recovered"))
        let left = try await journal.numbers()
        #expect(left.count < 2_000)
        #expect(journal.nextNumber() > 2_000)
    }

    @Test(
        "a value of the wrong type is damage: the other rows are kept, and the process continues",
        arguments: [
            "UPDATE nodes SET slot = 'x' WHERE id = 'lhr1'", "UPDATE nodes SET changed = 'x' WHERE id = 'lhr1'",
            "UPDATE claims SET share = 'x' WHERE node = 'lhr1'", "UPDATE claims SET forced = 'x' WHERE node = 'lhr1'",
            "UPDATE rrset_changes SET time = 'x' WHERE type = 16", "UPDATE rrset_changes SET ttl = 'x' WHERE type = 16",
            "UPDATE rrset_changes SET type = 'x' WHERE type = 16",
            "UPDATE rrset_changes SET of_alias = 'x' WHERE type = 16", "UPDATE zone_serials SET serial = 'x'",
            "DROP TABLE rrset_changes", "DROP TABLE transitions", "DROP TABLE claims",
            "DELETE FROM grdb_migrations",
            // As damage to the pages makes it: the constraints forbid it to every statement.
            """
            DROP TABLE grdb_migrations; CREATE TABLE grdb_migrations (identifier TEXT);
            INSERT INTO grdb_migrations VALUES ('1'), (NULL)
            """,
            """
            ALTER TABLE rrset_changes RENAME TO old;
            CREATE TABLE rrset_changes (zone, owner, type, ttl, records, time, author, of_alias, answer_ends);
            INSERT INTO rrset_changes SELECT * FROM old; DROP TABLE old;
            UPDATE rrset_changes SET time = NULL WHERE type = 16
            """,
        ])
    func cell(damage: String) async throws {
        let zone: [UInt8] = [7, 101, 120, 97, 109, 112, 108, 101, 0]
        func set(_ type: UInt16) -> (KeptRRsetKey, KeptRRset) {
            (KeptRRsetKey(zone: zone, owner: zone, type: type), KeptRRset(ttl: 60, records: [1], time: 1, author: nil))
        }
        let first = try await folder.open()
        first.write(nodes: ["fra1": drained, "lhr1": drained])
        var change = KeptRRsetsChange()
        change.sets = [set(1).0: set(1).1, set(16).0: set(16).1]
        change.serials = [zone: 7]
        #expect(await first.keep(change) == nil)
        #expect(await first.close() == nil)
        try folder.execute(damage)
        _ = try Journal.peek(folder: folder.path)
        _ = try Journal.peekRRsets(folder: folder.path)
        let journal = try await folder.open()
        #expect(folder.told.contains("nearcast.db is damaged ("))
        #expect(folder.files.contains { $0.contains(".damaged-") })
        let hitsNodes = damage.contains("lhr1") || damage.contains("TABLE claims")
        #expect(folder.told.contains("drained again") == hitsNodes)
        if !damage.contains("TABLE claims") { #expect(journal.nodes["fra1"] == drained) }
        if !hitsNodes { #expect(journal.nodes["lhr1"] == drained) }
        let hitsRRsets = damage.contains("rrset_changes") || damage.contains("zone_serials")
        #expect(folder.told.contains("record changes were recovered, the rest is lost") == hitsRRsets)
        #expect(journal.rrsets.sets[set(1).0] == (damage.hasPrefix("DROP TABLE rrset") ? nil : set(1).1))
        #expect((journal.rrsets.sets[set(16).0] == set(16).1) == !damage.contains("rrset_changes"))
        // It is sound again.
        journal.add(1)
        #expect(await journal.close() == nil)
        #expect(try await folder.open().numbers().count == 1)
        #expect(folder.files.count { $0.contains(".damaged-") && !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") } == 1)
    }

    @Test("a file that is damaged while it is open is replaced by one with all nodes")
    func atWork() async throws {
        let journal = try await folder.open()
        journal.write(nodes: ["fra1": drained])
        journal.add(10)
        #expect(await journal.flush() == nil)
        for suffix in ["", "-wal", "-shm"] { try FileManager.default.removeItem(atPath: folder.database + suffix) }
        let number = journal.add(1)
        #expect(await journal.flush() == nil)
        #expect(folder.told.contains("was moved or removed: a new one was created"))
        #expect(try Journal.peek(folder: folder.path) == ["fra1": drained])
        #expect(try await journal.numbers() == number)
        #expect(try await folder.open().nextNumber() > number[0])
    }

    @Test("a file of a later version is refused with a remedy, and left unchanged")
    func later() async throws {
        try await filled()
        let queue = try DatabaseQueue(path: folder.database)
        try await queue.write { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('later')") }
        try queue.close()
        let expected =
            "\(folder.database) was written by a newer nearcastd: run that version, or move the file away; without it "
            + "drained nodes are forgotten"
        for attempt in [{ _ = try Journal.peek(folder: folder.path) }, { _ = try await folder.open() }] {
            let error = await #expect(throws: JournalProblem.self) { try await attempt() }
            #expect(error?.description == expected)
        }
        #expect(!folder.files.contains { $0.contains("damaged") })
    }

    @Test("a folder or a pipe in its place is refused", arguments: [true, false])
    func irregular(isFolder: Bool) async throws {
        try folder.write("other", "")
        if isFolder {
            try FileManager.default.createDirectory(atPath: folder.database, withIntermediateDirectories: false)
        } else {
            #expect(mkfifo(folder.database, 0o600) == 0)
        }
        await #expect(throws: JournalProblem.self) { _ = try await folder.open() }
        #expect(throws: JournalProblem.self) { try Journal.peek(folder: folder.path) }
    }

    @Test("without a place to write it continues, reports that once, and writes everything once it can")
    func unwritable() async throws {
        // A file stands where the folder should be.
        try Data().write(to: URL(filePath: folder.path))
        let journal = try await folder.open()
        #expect(folder.told.contains("cannot be written"))
        #expect(!folder.told.contains("NSCocoaErrorDomain") && !folder.told.contains("error 5"), "\(folder.told)")
        let numbers = journal.add(300)
        #expect(numbers.allSatisfy { $0 > 1_700_000_000_000 })
        journal.write(nodes: ["fra1": drained])
        let problem = await journal.flush()
        #expect(problem?.description.contains("cannot be written") == true)
        #expect(try await journal.numbers() == numbers)
        #expect(folder.notes.withLock { $0.count } == 1, "\(folder.told)")

        try FileManager.default.removeItem(atPath: folder.path)
        #expect(await journal.flush() == nil)
        #expect(journal.problem == nil)
        #expect(try Journal.peek(folder: folder.path) == ["fra1": drained])
        #expect(try await folder.open().numbers() == numbers)
    }

    private static let mostWaiting = 65_536

    @Test("the backlog is bounded, and the oldest transitions are dropped, counted and reported")
    func bounds() async throws {
        // A file stands where the folder should be.
        try Data().write(to: URL(filePath: folder.path))
        let journal = try await folder.open()
        var numbers = journal.add(10)
        #expect(await journal.flush() != nil)
        numbers += journal.add(Self.mostWaiting - 10)
        #expect(journal.lost == 0 && journal.backlog == Self.mostWaiting)
        numbers += journal.add(7)
        #expect(journal.lost == 7 && journal.backlog == Self.mostWaiting)
        #expect(folder.told.contains("7 changes of node states were dropped"))
        try FileManager.default.removeItem(atPath: folder.path)
        #expect(await journal.flush() == nil)
        #expect(try await journal.numbers() == Array(numbers.dropFirst(7)))
    }

    @Test("transitions added during a failed write come after those of the write, and the oldest are dropped first")
    func failingWrite() async throws {
        let journal = try await folder.open()
        #expect(await journal.flush() == nil)
        // It takes a while before it fails.
        try folder.execute(
            """
            CREATE TRIGGER full BEFORE INSERT ON transitions
            BEGIN SELECT RAISE(ABORT, 'no room') WHERE length(randomblob(40000000)) > 0; END
            """)
        var numbers: [UInt64] = []
        while journal.problem == nil {
            numbers += journal.add(1)
            try await Task.sleep(for: .milliseconds(1))
        }
        #expect(numbers.count > 1 && journal.lost == 0)
        numbers += journal.add(Self.mostWaiting + 5 - numbers.count)
        #expect(journal.lost == 5 && journal.backlog == Self.mostWaiting)
        try folder.execute("DROP TRIGGER full")
        #expect(await journal.flush() == nil)
        #expect(try await journal.numbers() == Array(numbers.dropFirst(5)))
    }
}
