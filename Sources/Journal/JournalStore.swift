import Foundation
import GRDB
import Glibc
import StateStore

/// Opens, replaces and closes the file. Nothing else does.
actor JournalStore {
    enum Outcome: Sendable {
        /// Written, with the reserved numbers.
        case written(Range<UInt64>?)
        /// Not written: the file was replaced by an empty one. All known state has to be written; with the reason.
        case replaced(JournalNote)
    }

    nonisolated let path: String
    private var disk: Disk?

    init(path: String) { self.path = path }

    /// The contents of the file when it was opened.
    struct Opened: Sendable {
        var nodes: [String: KeptNode] = [:]
        var rrsets = KeptRRsets()
        var numbers: Range<UInt64>
        /// A message about a file that was moved aside, with what was recovered from it.
        var damage: String?
        var salvaged: [NodeTransition] = []
    }

    /// Opens the file, or a new one if it is damaged.
    ///
    /// - Throws: a `JournalProblem` for a file of a later version, otherwise why it cannot be written.
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
            let nodes = "the state of \(salvage.nodes.count) nodes was recovered"
            let recovered =
                salvage.hasAllNodes
                ? nodes
                : "\(nodes), the rest is lost: check with `nearcast node list` which nodes have to be drained again"
            return Opened(
                nodes: salvage.nodes, rrsets: salvage.rrsets, numbers: taken ?? 0..<0,
                damage: "\(path) is damaged (\(error.damage)) and was renamed to \(aside): \(recovered); "
                    + "\(salvage.records.count) entries of the history were recovered"
                    + (salvage.hasAllRRsets
                        ? ""
                        : "; \(salvage.rrsets.sets.count) record changes were recovered, the rest is lost: "
                            + "those zones are served from their files, with the files' serials"))
        }
    }

    func close() {
        disk?.close()
        disk = nil
    }

    func write(_ batch: Disk.Batch) async throws(JournalProblem) -> Outcome {
        do {
            guard let disk, disk.isCurrent else { return .replaced(try reopen()) }
            do { return .written(try await disk.write(batch)) } catch  where error.isDamage {
                close()
                let aside = try moveAside()
                _ = try reopen()
                return .replaced(
                    JournalNote(
                        .replaced,
                        "\(path) is damaged (\(error.damage)) and was renamed to \(aside): a new one was created, "
                            + "with the current node states and without history"))
            }
        } catch { throw Self.problem(path, error) }
    }

    /// - Returns: the reason.
    private func reopen() throws -> JournalNote {
        let why =
            disk == nil
            ? JournalNote(.writable, "\(path) can be written now")
            : JournalNote(.replaced, "\(path) was moved or removed: a new one was created, without history")
        close()
        do { disk = try Disk(path: path) } catch  where error.isDamage {
            let aside = try moveAside()
            disk = try Disk(path: path)
            return JournalNote(.replaced, "\(path) is damaged (\(error.damage)) and was renamed to \(aside)")
        }
        return why
    }

    func recordHistory(_ query: RecordHistoryQuery) async throws(JournalProblem) -> [KeptRecordChange] {
        guard let disk else { return [] }
        do { return try await disk.recordHistory(query) } catch { throw Self.problem(path, error) }
    }

    func records(of node: String?, limit: Int) async throws(JournalProblem) -> [NodeTransition] {
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
        default: JournalProblem("\(path) cannot be written (\(reason(of: error)))")
        }
    }

    /// The reason in the system's words. Foundation's own text may be only a number, such as "error 512".
    private static func reason(of error: any Error) -> String {
        let underlying = (error as NSError).userInfo[NSUnderlyingErrorKey]
        guard let cause = (error as? POSIXError) ?? (underlying as? POSIXError) else {
            return error.localizedDescription
        }
        return String(cString: strerror(cause.code.rawValue))
    }

    /// Renames the file with its companions. Returns the new name.
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
    /// Whether the file is damaged, so that no retry can succeed. SQLITE_ERROR is about tables: one is missing, or has
    /// other columns. System errors (a full disk, a read-only file) have their own codes.
    var isDamage: Bool {
        if let error = self as? DatabaseError {
            return [.SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_ERROR, .SQLITE_MISMATCH].contains(error.resultCode)
        }
        return self is BadValue || self is RowDecodingError
    }

    /// The damage, for messages.
    var damage: String {
        (self as? DatabaseError).map { $0.message ?? "\($0.resultCode)" } ?? "a value is not of its column's type"
    }
}
