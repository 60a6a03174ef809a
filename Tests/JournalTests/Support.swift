import Foundation
import GRDB
import Journal
import StateStore
import Synchronization

/// The state folder of a test, and the problems reported by journals in it.
final class StateFolder: Sendable {
    let path = FileManager.default.temporaryDirectory.appending(path: "nct-journal-\(UUID().uuidString)").path
    let notes = Mutex<[String]>([])

    deinit { try? FileManager.default.removeItem(atPath: path) }

    var database: String { Journal.path(in: path) }

    var files: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }

    var told: String { notes.withLock { $0.joined(separator: "\n") } }

    func open(limit: Int = Journal.defaultLimit) async throws -> Journal {
        try await Journal.open(folder: path, limit: limit) { note in
            self.notes.withLock { $0.append(note.description) }
        }
    }

    func write(_ file: String, _ bytes: [UInt8]) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try Data(bytes).write(to: URL(filePath: path + "/" + file))
    }

    func write(_ file: String, _ text: String) throws { try write(file, Array(text.utf8)) }

    /// Has the database do something, by a connection of its own.
    func execute(_ sql: String) throws {
        try DatabaseQueue(path: database).write { try $0.execute(sql: sql) }
    }

    /// Overwrites the file's bytes from an offset on, in place.
    func spoil(at offset: UInt64, count: Int) throws {
        let file = try FileHandle(forUpdating: URL(filePath: database))
        try file.seek(toOffset: offset)
        try file.write(contentsOf: Data(repeating: 0xa5, count: count))
        try file.close()
    }
}

extension Journal {
    /// Writes changes of a node, with the next numbers; these.
    @discardableResult
    func add(_ count: Int, of node: String = "fra1") -> [UInt64] {
        let records = (0..<count).map { _ in
            NodeTransition(
                sequence: nextNumber(), time: 1_790_000_000_123_456, node: node, from: "up", to: "down",
                cause: "checks", authority: "checks", evidence: "tcp 198.51.100.10:443: connection refused", epoch: 7)
        }
        write(records)
        return records.map(\.sequence)
    }

    func numbers(of node: String = "fra1") async throws -> [UInt64] {
        try await history(of: node, limit: 1 << 20).map(\.sequence).reversed()
    }
}

let drained = KeptNode(
    slot: 3, verdict: "up", changedAt: 1_790_000_000_000_001, setBy: "ann: disks",
    claims: [
        KeptClaim(authority: "person", state: "drained", share: 0, author: "ann: disks"),
        KeptClaim(
            authority: "person", state: "maintenance", share: 0, begins: 1_790_000_000_000_000,
            ends: 1_790_000_060_000_000, isForced: true, hasBegun: true, author: "bob"),
    ])
