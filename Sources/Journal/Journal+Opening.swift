import Foundation
public import StateStore
import Synchronization

extension Journal {
    /// Changes that a journal keeps: about 40 MiB.
    public static let defaultLimit = 262_144

    /// Reads the node states from the file in a state folder, without changing anything. Empty if there is no file.
    ///
    /// - Throws: when the file is of a later version, or is unreadable but not damaged.
    public static func peek(folder: String) throws(JournalProblem) -> [String: KeptNode] {
        try read(path(in: folder)).nodes
    }

    static func read(_ path: String) throws(JournalProblem) -> Salvage {
        try requireRegular(path)
        do { return try Salvage(path: path, limit: 0) } catch { throw JournalStore.problem(path, error) }
    }

    private static func requireRegular(_ path: String) throws(JournalProblem) {
        guard let file = FileIdentity(path), !file.isRegular else { return }
        throw JournalProblem("\(path) is not a regular file: move it away")
    }

    /// Opens the journal in a state folder. Only one process owns the nodes: a former owner has handed over, or is
    /// gone.
    ///
    /// A damaged file is renamed, and a new one is created with everything that could be read. If the file cannot be
    /// written, the daemon still starts, and writes wait in memory.
    ///
    /// - Parameters:
    ///   - limit: changes to keep.
    ///   - note: called with messages for the operator, on any thread.
    /// - Throws: when the file is of a later version, or exists but cannot be read.
    public static func open(
        folder: String, limit: Int = defaultLimit, note: @escaping @Sendable (JournalNote) -> Void
    ) async throws(JournalProblem) -> Journal {
        let path = path(in: folder)
        try requireRegular(path)
        let (store, isNew) = (JournalStore(path: path), FileIdentity(path) == nil)
        let opened: JournalStore.Opened
        do {
            opened = try await store.open(limit: limit, numbers: numbersAtOnce)
        } catch let problem as JournalProblem {
            throw problem
        } catch {
            return try cannotWrite(store, error, isNew: isNew, limit: limit, note: note)
        }
        if let damage = opened.damage { note(JournalNote(.replaced, damage)) }
        return Journal(
            store, kept: opened.nodes, numbers: opened.numbers, latest: opened.numbers.lowerBound - 1, problem: nil,
            rrsets: opened.rrsets, limit: limit, note: note)
    }

    private static func cannotWrite(
        _ store: JournalStore, _ error: any Error, isNew: Bool, limit: Int,
        note: @escaping @Sendable (JournalNote) -> Void
    ) throws(JournalProblem) -> Journal {
        let problem = JournalStore.problem(store.path, error)
        let salvage = try read(store.path)
        if !isNew, FileIdentity(store.path) != nil, !salvage.hasAllNodes {
            throw JournalProblem("\(problem), and cannot be read either: without it drained nodes are forgotten")
        }
        note(.notWritable(problem))
        return Journal(
            store, kept: salvage.nodes, numbers: 0..<0, latest: (salvage.taken ?? 1) - 1, problem: problem,
            rrsets: salvage.rrsets, limit: limit, note: note)
    }
}
