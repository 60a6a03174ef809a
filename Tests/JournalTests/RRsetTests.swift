import Foundation
import Journal
import StateStore
import Testing

@Suite struct RRsetTests {
    let folder = StateFolder()

    private static let zone: [UInt8] = [1, 97, 0]
    private static let key = KeptRRsetKey(zone: zone, owner: [1, 120, 1, 97, 0], type: 1)
    private static let set = KeptRRset(
        ttl: 60, records: [0, 4, 10, 0, 0, 1], time: 1_790_000_000_123_456, author: "ann", isOfAlias: true,
        answerEnds: 1_790_000_060_000_000)

    private static func change(_ set: KeptRRset?, serial: UInt32? = .max) -> KeptRRsetsChange {
        var change = KeptRRsetsChange()
        change.sets[key] = .some(set)
        change.serials[zone] = .some(serial)
        return change
    }

    @Test("saved changes survive a crash, and deleted ones do not return")
    func crash() async throws {
        let first = try await folder.open()
        #expect(await first.keep(Self.change(Self.set)) == nil)
        // Never closed, as if it had been killed.
        let second = try await folder.open()
        #expect(second.rrsets.sets == [Self.key: Self.set] && second.rrsets.serials == [Self.zone: .max])
        #expect(try Journal.peekRRsets(folder: folder.path) == second.rrsets)
        #expect(await second.keep(Self.change(nil, serial: nil)) == nil)
        #expect(try Journal.peekRRsets(folder: folder.path) == KeptRRsets())
        #expect(try await folder.open().rrsets == KeptRRsets())
    }

    @Test("changes in a file of an earlier version are read before it is migrated")
    func earlier() async throws {
        let journal = try await folder.open()
        #expect(await journal.keep(Self.change(Self.set)) == nil)
        #expect(await journal.close() == nil)
        var expected = Self.set
        for (column, migration) in [("answer_ends", "5"), ("of_alias", "4")] {
            try folder.execute(
                "ALTER TABLE rrset_changes DROP COLUMN \(column); "
                    + "DELETE FROM grdb_migrations WHERE identifier = '\(migration)'")
            if migration == "5" { expected.answerEnds = nil } else { expected.isOfAlias = false }
            #expect(try Journal.peekRRsets(folder: folder.path).sets == [Self.key: expected])
        }
        #expect(try await folder.open().rrsets.sets == [Self.key: expected])
    }

    @Test("a file that is removed while it is open is written again, with all saved changes")
    func renewed() async throws {
        let journal = try await folder.open()
        #expect(await journal.keep(Self.change(Self.set)) == nil)
        for file in folder.files { try FileManager.default.removeItem(atPath: folder.path + "/" + file) }
        journal.add(1)
        #expect(await journal.flush() == nil)
        #expect(try Journal.peekRRsets(folder: folder.path).sets == [Self.key: Self.set])
    }

    @Test("a change that cannot be written is not saved, then or later")
    func failed() async throws {
        let journal = try await folder.open()
        #expect(await journal.keep(Self.change(Self.set)) == nil)
        try FileManager.default.removeItem(atPath: folder.path)
        try Data().write(to: URL(filePath: folder.path))
        var later = Self.set
        later.ttl = 1
        #expect(await journal.keep(Self.change(later)) != nil)
        #expect(journal.rrsets.sets == [Self.key: Self.set])
        try FileManager.default.removeItem(atPath: folder.path)
        #expect(await journal.flush() == nil)
        #expect(try Journal.peekRRsets(folder: folder.path).sets == [Self.key: Self.set])
    }
    private static func entry(_ number: UInt64, _ type: UInt16 = 1) -> KeptRecordChange {
        KeptRecordChange(
            number: number, time: 1_790_000_000_123_456, key: KeptRRsetKey(zone: zone, owner: key.owner, type: type),
            before: nil, after: .init(ttl: .max, records: [0, 1, UInt8(truncatingIfNeeded: number)]), serial: .max,
            author: number % 2 == 0 ? nil : "ann")
    }

    private static func change(history: KeptRecordChange...) -> KeptRRsetsChange {
        var change = change(set)
        change.history = history
        return change
    }

    @Test("the history is in the file with the change, found by name, type and number, the latest first")
    func history() async throws {
        let journal = try await folder.open()
        #expect(await journal.keep(Self.change(history: Self.entry(7), Self.entry(7, 28))) == nil)
        #expect(await journal.keep(Self.change(history: Self.entry(9))) == nil)
        let other = try await folder.open()
        func found(_ query: RecordHistoryQuery) async throws -> [KeptRecordChange] {
            try await other.recordHistory(query)
        }
        let all = [Self.entry(9), Self.entry(7), Self.entry(7, 28)]
        #expect(try await found(.init(limit: 10)) == all)
        #expect(try await found(.init(limit: 2)) == Array(all.prefix(2)))
        #expect(try await found(.init(zone: Self.zone, owner: Self.key.owner, type: 28, limit: 10)) == [all[2]])
        #expect(try await found(.init(number: 7, limit: 10)) == Array(all.suffix(2)))
        #expect(try await found(.init(zone: [1, 98, 0], limit: 10)) == [])
        #expect(other.nextNumber() > 9, "numbers of events and of record changes are one sequence")
    }

    @Test("old requests leave the history, each as a whole")
    func prunedHistory() async throws {
        /// The numbers in the history after these changes, made by a journal that prunes at its first write.
        func kept(_ entries: KeptRecordChange...) async throws -> [UInt64] {
            let journal = try await folder.open(limit: 2)
            var change = Self.change(Self.set)
            change.history = entries
            #expect(await journal.keep(change) == nil)
            return try await journal.recordHistory(.init(limit: 10)).map(\.number)
        }
        #expect(try await kept(Self.entry(3)) == [3])
        let request = try await kept(Self.entry(7), Self.entry(7, 28), Self.entry(7, 16))
        #expect(request == [7, 7, 7])
        #expect(try await kept(Self.entry(9)) == [9, 7, 7, 7], "what is left of a request in part cannot be undone")
        #expect(try await kept(Self.entry(12)) == [12, 9])
    }

    @Test("whatever part of a change failed alone, the file is tried again without a caller", arguments: 0..<4)
    func retried(part: Int) async throws {
        let journal = try await folder.open()
        #expect(await journal.keep(Self.change(history: Self.entry(7))) == nil)
        var change = KeptRRsetsChange()
        switch part {
        case 0: change.sets[Self.key] = .some(nil)
        case 1: change.serials[Self.zone] = .some(7)
        case 2: change.history = [Self.entry(8)]
        default: change.struck = [7]
        }
        try FileManager.default.removeItem(atPath: folder.path)
        try Data().write(to: URL(filePath: folder.path))
        #expect(await journal.keep(change) != nil)
        try FileManager.default.removeItem(atPath: folder.path)
        // It waits some seconds between two attempts.
        for _ in 0..<1000 where !folder.told.contains("can be written again") {
            journal.retry()
            try await Task.sleep(for: .milliseconds(50))
        }
        #expect(try Journal.peekRRsets(folder: folder.path).sets == [Self.key: Self.set])
    }

    @Test("a change that was taken back leaves no history, and neither does one that could not be written")
    func struckHistory() async throws {
        let journal = try await folder.open()
        #expect(await journal.keep(Self.change(history: Self.entry(7))) == nil)
        var inverse = Self.change(nil)
        inverse.struck = [7]
        #expect(await journal.keep(inverse) == nil)
        #expect(try await journal.recordHistory(.init(limit: 10)) == [])
        try FileManager.default.removeItem(atPath: folder.path)
        try Data().write(to: URL(filePath: folder.path))
        #expect(await journal.keep(Self.change(history: Self.entry(8))) != nil)
        try FileManager.default.removeItem(atPath: folder.path)
        #expect(await journal.keep(Self.change(history: Self.entry(9))) == nil)
        #expect(try await journal.recordHistory(.init(limit: 10)) == [Self.entry(9)])
    }
}
