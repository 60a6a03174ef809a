import Foundation
import Journal
import StateStore
import Testing

@Suite struct RRsetTests {
    let folder = StateFolder()

    private static let zone: [UInt8] = [1, 97, 0]
    private static let key = KeptRRsetKey(zone: zone, owner: [1, 120, 1, 97, 0], type: 1)
    private static let set = KeptRRset(
        ttl: 60, records: [0, 4, 10, 0, 0, 1], time: 1_790_000_000_123_456, author: "ann")

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
}
