import Foundation
import GRDB
import StateStore

/// What can still be read of a database that is damaged, or that cannot be written.
struct Salvage: Sendable {
    var nodes: [String: KeptNode] = [:]
    var rrsets = KeptRRsets()
    /// Oldest first.
    var records: [NodeTransition] = []
    /// As in ``Schema/taken(_:)``; `nil` where that cannot be read.
    var taken: UInt64?
    /// Whether what is said of the nodes could be read to its end.
    var hasAllNodes = false
    /// The same of RRsets that were changed by themselves.
    var hasAllRRsets = false

    /// Reads without changing the file.
    ///
    /// - Parameter limit: changes, the latest; 0: none.
    /// - Throws: a `JournalProblem` for a database of a later version.
    init(path: String, limit: Int) throws {
        try read(path, limit: limit)
        guard !hasAllNodes, FileIdentity(path) != nil else { return }
        // Where nothing can be written SQLite needs files that are not there: a copy has them.
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
        // Those before the damage count.
        try? queue.read { database in
            let cursor = try Schema.records(of: nil, limit: limit, database)
            while let record = try cursor.next() { found.append(record) }
        }
        records = found.reversed()
    }
}
