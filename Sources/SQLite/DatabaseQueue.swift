import Dispatch

/// A connection and the queue that it is used on: callers in tasks wait for the disk without holding a thread of their pool.
///
/// `@unchecked Sendable`: the connection is touched on the queue only.
public final class DatabaseQueue: @unchecked Sendable {
    private let queue = DispatchQueue(label: "sqlite")
    private var database: Database?

    /// - Parameter patience: milliseconds for which a statement waits for other connections.
    public init(path: String, _ access: Database.Access = .readWrite, patience: Int32 = 5_000) throws(DatabaseError) {
        database = try Database(path: path, access, patience: patience)
    }

    /// Executes `body` outside of any transaction.
    public func withoutTransaction<Result>(_ body: (Database) throws -> Result) throws -> Result {
        try queue.sync { try body(opened) }
    }

    /// What `body` reads is of one state of the file.
    public func read<Result>(_ body: (Database) throws -> Result) throws -> Result {
        try queue.sync { try opened.transaction(.deferred, body) }
    }

    /// What `body` writes is in the file when this returns, or nothing of it is.
    public func write<Result>(_ body: (Database) throws -> Result) throws -> Result {
        try queue.sync { try opened.transaction(.immediate, body) }
    }

    /// As the other ``read(_:)``, for tasks.
    public func read<Result: Sendable>(_ body: @escaping @Sendable (Database) throws -> Result) async throws -> Result {
        try await perform(.deferred, body)
    }

    /// As the other ``write(_:)``, for tasks.
    public func write<Result: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Result
    ) async throws -> Result { try await perform(.immediate, body) }

    private func perform<Result: Sendable>(
        _ kind: Database.Transaction, _ body: @escaping @Sendable (Database) throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            queue.async {
                continuation.resume(with: Swift.Result { try self.opened.transaction(kind, body) })
            }
        }
    }

    /// Closes the connection: what is asked of it later fails.
    public func close() { queue.sync { database = nil } }

    private var opened: Database {
        get throws(DatabaseError) {
            guard let database else { throw DatabaseError(.misuse, "the database is closed") }
            return database
        }
    }
}
