import Foundation
import Journal
import StateStore
import Testing

@Suite struct JournalTests {
    let folder = StateFolder()

    @Test(
        "a restart keeps transitions with microseconds, the latest first, and nodes with all values")
    func restart() async throws {
        let first = try await folder.open()
        #expect(first.add(3) == [1, 2, 3])
        first.add(1, of: "lhr1")
        first.write(nodes: ["fra1": drained, "lhr1": KeptNode(slot: 4)])
        first.write(nodes: ["lhr1": nil])
        #expect(await first.close() == nil)
        #expect(try Journal.peek(folder: folder.path) == ["fra1": drained])

        let second = try await folder.open()
        #expect(second.nodes == ["fra1": drained])
        #expect(second.latest == 4)
        let history = try await second.history(of: "fra1", limit: 2)
        #expect(history.map(\.sequence) == [3, 2])
        #expect(history.first?.time == 1_790_000_000_123_456)
        #expect(history.first?.evidence == "tcp 198.51.100.10:443: connection refused")
        #expect(second.nextNumber() == 5)
        #expect(folder.told == "")
    }

    @Test("transitions that are not yet on disk are part of the history")
    func waiting() async throws {
        let journal = try await folder.open()
        let numbers = journal.add(500)
        #expect(try await journal.numbers() == numbers)
        #expect(await journal.flush() == nil)
        #expect(journal.backlog == 0)
        #expect(try await journal.numbers() == numbers)
    }

    @Test("numbers never repeat, even after a crash before a write")
    func crash() async throws {
        let first = try await folder.open()
        first.add(10)
        #expect(await first.flush() == nil)
        let told = (0..<5_000).map { _ in first.nextNumber() }
        // Never closed, as if it had been killed.
        let second = try await folder.open()
        #expect(second.nextNumber() > (told.max() ?? .max))
        #expect(second.latest < 1_000_000)
    }

    @Test("a place that takes no state is refused with path, reason and remedy, and a new folder is made")
    func place() throws {
        try folder.write("file", "")
        let below = "\(folder.path)/file/state"
        let problem = #expect(throws: JournalProblem.self) { try Journal.requirePlace(folder: below) }
        #expect(problem?.description.hasPrefix("\(below) cannot be written (Not a directory)") == true)
        #expect(problem?.description.contains("correct state") == true)
        #expect(throws: JournalProblem.self) { try Journal.requirePlace(folder: "\(folder.path)/file") }
        try Journal.requirePlace(folder: "\(folder.path)/new/state")
        #expect(FileManager.default.fileExists(atPath: "\(folder.path)/new/state"))
    }

    @Test("a close answers everything that waits for the disk, whenever it asked", .timeLimit(.minutes(1)))
    func closing() async throws {
        for _ in 0..<50 {
            let folder = StateFolder()
            let journal = try await folder.open()
            await withTaskGroup { group in
                for _ in 0..<8 {
                    group.addTask {
                        // Until the answer is that the journal is closed.
                        while await journal.flush() == nil { journal.add(1) }
                    }
                }
                group.addTask { _ = await journal.close() }
            }
        }
    }

    @Test("two concurrent processes use different numbers, however many ranges they take")
    func together() async throws {
        let (one, other) = (try await folder.open(), try await folder.open())
        var numbers: [UInt64] = []
        for _ in 0..<5 {
            for journal in [one, other] {
                numbers += (0..<30_000).map { _ in journal.nextNumber() }
                journal.add(1)
                #expect(await journal.flush() == nil)
            }
        }
        #expect(Set(numbers).count == 300_000)
        #expect(try await one.numbers().count == 10)
    }

    @Test("a successor continues with the next number, and if it dies its predecessor continues after it")
    func handover() async throws {
        let predecessor = try await folder.open()
        predecessor.add(3)
        predecessor.write(nodes: ["fra1": drained])
        #expect(await predecessor.handOver() == nil)
        let successor = try await folder.open()
        #expect(successor.nodes == ["fra1": drained])
        #expect(successor.add(2) == [4, 5])
        successor.write(nodes: ["fra1": KeptNode(slot: 9)])
        #expect(await successor.flush() == nil)
        let unwritten = successor.nextNumber()
        #expect(await predecessor.resume() == nil)
        #expect(predecessor.nextNumber() > unwritten)
        #expect(try Journal.peek(folder: folder.path) == ["fra1": drained], "the one that goes on knows best")
        #expect(try await predecessor.numbers() == [1, 2, 3, 4, 5])
    }

    @Test("transitions after a number are listed in order, from the file and from the backlog")
    func after() async throws {
        let journal = try await folder.open()
        let numbers = journal.add(5) + journal.add(3, of: "nyc1")
        #expect(await journal.flush() == nil)
        let late = journal.add(2)
        func told(_ sequence: UInt64, _ limit: Int = 100) async throws -> [UInt64] {
            try await journal.changes(after: sequence, limit: limit).map(\.sequence)
        }
        #expect(try await told(0) == numbers + late)
        #expect(try await told(numbers[6]) == [numbers[7]] + late)
        #expect(try await told(numbers[1], 3) == Array(numbers[2...4]))
        #expect(try await told(late[1]) == [])
        _ = await journal.close()
    }

    @Test("a predecessor that could not write at the handover does not overwrite its successor later")
    func lateRoom() async throws {
        let predecessor = try await folder.open()
        predecessor.write(nodes: ["fra1": drained])
        #expect(await predecessor.flush() == nil)
        try folder.execute("CREATE TRIGGER full BEFORE INSERT ON nodes BEGIN SELECT RAISE(ABORT, 'no room'); END")
        var older = drained
        older.setBy = "the predecessor"
        predecessor.write(nodes: ["fra1": older])
        #expect(await predecessor.handOver() != nil)
        try folder.execute("DROP TRIGGER full")
        let successor = try await folder.open()
        var younger = drained
        younger.setBy = "the successor"
        successor.write(nodes: ["fra1": younger])
        #expect(await successor.flush() == nil)
        #expect(await predecessor.flush() == nil)
        _ = await predecessor.close()
        _ = await successor.close()
        let next = try await folder.open()
        #expect(next.nodes["fra1"]?.setBy == "the successor")
        _ = await next.close()
    }

    @Test("a predecessor that ends after the handover leaves numbers and nodes to its successor")
    func predecessorEnds() async throws {
        let predecessor = try await folder.open()
        predecessor.write(nodes: ["fra1": drained])
        #expect(await predecessor.handOver() == nil)
        let successor = try await folder.open()
        successor.write(nodes: ["fra1": KeptNode(slot: 9)])
        #expect(await successor.flush() == nil)
        #expect(await predecessor.close() == nil)
        let number = successor.nextNumber()
        #expect(try Journal.peek(folder: folder.path) == ["fra1": KeptNode(slot: 9)])
        #expect(try await folder.open().nextNumber() > number)
    }

    @Test("transitions beyond the limit are deleted, the oldest first")
    func bounded() async throws {
        let first = try await folder.open(limit: 100)
        first.add(250)
        #expect(await first.flush() == nil)
        #expect(try await first.numbers() == Array(151...250))
        // Counted again after so many.
        for _ in 0..<5 {
            first.add(1_000)
            #expect(await first.flush() == nil)
        }
        let kept = try await first.numbers()
        #expect(kept.last == 5_250 && kept.count < 5_000)
        #expect(await first.close() == nil)
    }
}
