import Foundation
import Synchronization

extension Journal {
    /// Changes that a journal keeps: some 40 MiB.
    public static let defaultLimit = 262_144

    /// What the file in a state folder knows of the nodes, without changing anything; none where there is no file.
    ///
    /// - Throws: when the file is of a later version, or nothing can be read of it and it is not damaged either.
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

    /// Opens the journal in a state folder for the nodes' one owner: whoever had it before has handed over, or is gone.
    ///
    /// A damaged file gets another name, and a new one has all that could be read of it. A file that cannot be written is no
    /// reason not to go on: what is to be written waits.
    ///
    /// - Parameters:
    ///   - limit: changes that it keeps.
    ///   - note: called with what an operator should know, on any thread.
    /// - Throws: when the file is of a later version, or is there and cannot even be read.
    public static func open(
        folder: String, limit: Int = defaultLimit, note: @escaping @Sendable (String) -> Void
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
        if let damage = opened.damage { note(damage) }
        return Journal(
            store, kept: opened.nodes, numbers: opened.numbers, latest: opened.numbers.lowerBound - 1, problem: nil,
            rrsets: opened.rrsets, limit: limit, note: note)
    }

    private static func cannotWrite(
        _ store: JournalStore, _ error: any Error, isNew: Bool, limit: Int, note: @escaping @Sendable (String) -> Void
    ) throws(JournalProblem) -> Journal {
        let problem = JournalStore.problem(store.path, error)
        let salvage = try read(store.path)
        if !isNew, FileIdentity(store.path) != nil, !salvage.hasAllNodes {
            throw JournalProblem("\(problem), and cannot be read either: without it nobody knows who was drained")
        }
        note("\(problem): changes of nodes' states wait in memory, and are lost when it ends")
        return Journal(
            store, kept: salvage.nodes, numbers: 0..<0, latest: (salvage.taken ?? 1) - 1, problem: problem,
            rrsets: salvage.rrsets, limit: limit, note: note)
    }
}
