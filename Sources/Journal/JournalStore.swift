import Foundation
import GRDB
import StateStore

/// The one place that opens, replaces and closes the file.
actor JournalStore {
    enum Outcome: Sendable {
        /// With the numbers taken.
        case written(Range<UInt64>?)
        /// Nothing: the file is another one, without what was in the one before. All that is known is to be written; why.
        case renewed(String)
    }

    nonisolated let path: String
    private var disk: Disk?

    init(path: String) { self.path = path }

    /// What the file has when it has been opened.
    struct Opened: Sendable {
        var nodes: [String: KeptNode] = [:]
        var rrsets = KeptRRsets()
        var numbers: Range<UInt64>
        /// What was told of a file that had to be moved aside, and what of it is to be written again.
        var damage: String?
        var salvaged: [NodeTransition] = []
    }

    /// Opens the file, and a new one where it is damaged.
    ///
    /// - Throws: a `JournalProblem` for a file of a later version; else why it cannot be written.
    func open(limit: Int, numbers: UInt64) async throws -> Opened {
        do {
            let disk = try Disk(path: path)
            self.disk = disk
            let (nodes, rrsets) = (try disk.nodes(), try disk.rrsets())
            let taken = try await disk.write(Disk.Batch(numbers: numbers, limit: limit))
            return Opened(nodes: nodes, rrsets: rrsets, numbers: taken ?? 0..<0)
        } catch  where error.isDamage {
            close()
            let salvage = try Salvage(path: path, limit: limit)
            let aside = try moveAside()
            let disk = try Disk(path: path)
            self.disk = disk
            let floor = salvage.taken ?? Journal.clockFloor
            _ = try await disk.write(
                Disk.Batch(
                    records: salvage.records, nodes: salvage.nodes.mapValues { $0 },
                    rrsets: KeptRRsetsChange(salvage.rrsets), floor: floor))
            let taken = try await disk.write(Disk.Batch(numbers: numbers, floor: floor))
            let nodes = "what it says of \(salvage.nodes.count) nodes could be read and is kept"
            let told =
                salvage.hasAllNodes
                ? nodes
                : "\(nodes), the rest is lost: see with `nearcast node list` who has to be drained again"
            return Opened(
                nodes: salvage.nodes, rrsets: salvage.rrsets, numbers: taken ?? 0..<0,
                damage: "\(path) is damaged (\(error.damage)) and is now \(aside): \(told); "
                    + "\(salvage.records.count) changes of its history could be read and are kept"
                    + (salvage.hasAllRRsets
                        ? ""
                        : "; of changes by `nearcast record` \(salvage.rrsets.sets.count) RRsets could be read, the rest is lost: "
                            + "zones are served as their files have them, with the files' serials"))
        }
    }

    func close() {
        disk?.close()
        disk = nil
    }

    func write(_ batch: Disk.Batch) async throws(JournalProblem) -> Outcome {
        do {
            guard let disk, disk.isCurrent else { return .renewed(try reopen()) }
            do { return .written(try await disk.write(batch)) } catch  where error.isDamage {
                close()
                let aside = try moveAside()
                _ = try reopen()
                return .renewed(
                    "\(path) is damaged (\(error.damage)) and is now \(aside): a new one is begun, which has the "
                        + "nodes as they are, and no history")
            }
        } catch { throw Self.problem(path, error) }
    }

    /// - Returns: why.
    private func reopen() throws -> String {
        let why =
            disk == nil
            ? "\(path) can be written now" : "\(path) was moved or removed: a new one is begun, without history"
        close()
        do { disk = try Disk(path: path) } catch  where error.isDamage {
            let aside = try moveAside()
            disk = try Disk(path: path)
            return "\(path) is damaged (\(error.damage)) and is now \(aside)"
        }
        return why
    }

    func records(of node: String, limit: Int) async throws(JournalProblem) -> [NodeTransition] {
        guard let disk else { return [] }
        do { return try await disk.records(of: node, limit: limit) } catch { throw Self.problem(path, error) }
    }

    func records(after sequence: UInt64, limit: Int) async throws(JournalProblem) -> [NodeTransition] {
        guard let disk else { return [] }
        do { return try await disk.records(after: sequence, limit: limit) } catch { throw Self.problem(path, error) }
    }

    static func problem(_ path: String, _ error: any Error) -> JournalProblem {
        switch error {
        case let problem as JournalProblem: problem
        case let error as DatabaseError:
            JournalProblem("\(path) cannot be written (\(error.message ?? "\(error.resultCode)"))")
        default: JournalProblem("\(path) cannot be written (\(error.localizedDescription))")
        }
    }

    /// Gives the file and what belongs to it another name; the name.
    private func moveAside() throws -> String {
        let stamp = Date().formatted(.iso8601.dateSeparator(.omitted).timeSeparator(.omitted))
        var aside = "\(path).damaged-\(stamp)"
        for number in 2...100 where FileIdentity(aside) != nil { aside = "\(path).damaged-\(stamp)-\(number)" }
        try FileManager.default.moveItem(atPath: path, toPath: aside)
        for suffix in ["-wal", "-shm"] where FileIdentity(path + suffix) != nil {
            try FileManager.default.moveItem(atPath: path + suffix, toPath: aside + suffix)
        }
        return aside
    }
}

extension Error {
    /// Whether the file is not what it should be, which no later attempt mends. SQLITE_ERROR is about the tables: one is missing, or has
    /// other columns. What the system refuses (a full disk, a read-only file) has codes of its own.
    var isDamage: Bool {
        if let error = self as? DatabaseError {
            return [.SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_ERROR, .SQLITE_MISMATCH].contains(error.resultCode)
        }
        return self is BadValue || self is RowDecodingError
    }

    /// Damage in words.
    var damage: String {
        (self as? DatabaseError).map { $0.message ?? "\($0.resultCode)" } ?? "a value is not of its column's type"
    }
}
