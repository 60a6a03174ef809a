import Foundation
import GRDB
import StateStore

/// What can be recovered from a database that is damaged, or cannot be written.
struct Salvage: Sendable {
    var nodes: [String: KeptNode] = [:]
    var rrsets = KeptRRsets()
    /// Oldest first.
    var records: [NodeTransition] = []
    /// As in ``Schema/taken(_:)``. `nil` if unreadable.
    var taken: UInt64?
    /// Whether all node states could be read.
    var hasAllNodes = false
    /// The same for record changes.
    var hasAllRRsets = false

    /// Reads without changing the file.
    ///
    /// - Parameter limit: the number of latest changes to read. 0: none.
    /// - Throws: a `JournalProblem` for a database of a later version.
    init(path: String, limit: Int) throws {
        try read(path, limit: limit)
        guard !hasAllNodes, FileIdentity(path) != nil else { return }
        // On a read-only disk SQLite needs companion files that do not exist. A copy can have them.
        let folder = FileManager.default.temporaryDirectory.appending(path: "nearcast-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let copy = Journal.path(in: folder)
        try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        for suffix in ["", "-wal"] { try? FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix) }
        if FileIdentity(copy) != nil { try read(copy, limit: limit) }
    }

    private mutating func read(_ path: String, limit: Int) throws {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(5)
        guard let queue = try? DatabaseQueue(path: path, configuration: configuration) else { return }
        defer { try? queue.close() }
        let isLater = (try? queue.read { try Schema.migrator.hasBeenSuperseded($0) }) ?? false
        if isLater { throw Disk.laterVersion(path) }
        var isWhole = true
        if let nodes = try? queue.read({ try Schema.nodes($0) { _ in isWhole = false } }) {
            self.nodes = nodes
            hasAllNodes = isWhole
        }
        isWhole = true
        if let rrsets = try? queue.read({ try Schema.rrsets($0) { _ in isWhole = false } }) {
            self.rrsets = rrsets
            hasAllRRsets = isWhole
        }
        taken = try? queue.read { try Schema.taken($0) }
        guard limit > 0 else { return }
        var found: [NodeTransition] = []
        // The rows before the damage count.
        try? queue.read { database in
            let cursor = try Schema.records(of: nil, limit: limit, database)
            while let record = try cursor.next() { found.append(record) }
        }
        records = found.reversed()
    }
}
