import CSQLite

/// A connection to a database file. It belongs to one thread at a time, which ``DatabaseQueue`` sees to.
public final class Database {
    public enum Access: Sendable {
        /// The file is there, and is not changed.
        case readOnly
        /// The file is made where there is none.
        case readWrite

        fileprivate var flags: Int32 {
            switch self {
            case .readOnly: SQLITE_OPEN_READONLY
            case .readWrite: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            }
        }
    }

    private let handle: OpaquePointer
    private var statements: [String: Statement] = [:]

    /// - Parameter patience: milliseconds for which a statement waits for other connections.
    init(path: String, _ access: Access, patience: Int32) throws(DatabaseError) {
        var opened: OpaquePointer?
        let result = sqlite3_open_v2(path, &opened, access.flags | SQLITE_OPEN_NOMUTEX, nil)
        guard let opened else { throw DatabaseError(result, of: nil) }
        handle = opened
        // All properties are set, so `deinit` runs after a throw, and closes what was opened.
        guard result == SQLITE_OK else { throw DatabaseError(result, of: opened) }
        sqlite3_busy_timeout(opened, patience)
    }

    deinit { sqlite3_close_v2(handle) }

    /// Executes any number of statements without arguments.
    public func execute(_ sql: String) throws(DatabaseError) {
        let result = sqlite3_exec(handle, sql, nil, nil, nil)
        guard result == SQLITE_OK else { throw DatabaseError(result, of: handle) }
    }

    /// Executes one statement.
    public func execute(_ sql: String, _ arguments: [(any Bindable)?]) throws(DatabaseError) {
        try Statement(sql, of: handle).execute(arguments)
    }

    /// A statement that is prepared once and kept.
    public func cachedStatement(_ sql: String) throws(DatabaseError) -> Statement {
        if let statement = statements[sql] { return statement }
        let statement = try Statement(sql, of: handle)
        statements[sql] = statement
        return statement
    }

    public func rows(_ sql: String, _ arguments: [(any Bindable)?] = []) throws(DatabaseError) -> Rows {
        try Rows(Statement(sql, of: handle), arguments)
    }

    /// The first column of a query's first row; `nil` where there is no row, or NULL in it.
    public func first<Value: ColumnValue>(_ sql: String, _ type: Value.Type = Value.self) throws -> Value? {
        try rows(sql).next()?.optional(0)
    }

    enum Transaction: String {
        /// Sees one state of the file from its first query on.
        case deferred
        /// The only one that writes, from its begin on.
        case immediate
    }

    /// Executes `body` whole or not at all.
    func transaction<Result>(_ kind: Transaction, _ body: (Database) throws -> Result) throws -> Result {
        try execute("BEGIN \(kind.rawValue)")
        do {
            let result = try body(self)
            try execute("COMMIT")
            return result
        } catch {
            // Some errors have ended the transaction already.
            try? execute("ROLLBACK")
            throw error
        }
    }
}
