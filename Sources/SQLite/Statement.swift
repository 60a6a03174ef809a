import CSQLite

/// A statement that can be executed many times.
///
/// Its connection outlives it: SQLite closes a connection after its last statement.
public final class Statement {
    private let handle: OpaquePointer

    init(_ sql: String, of connection: OpaquePointer) throws(DatabaseError) {
        var handle: OpaquePointer?
        let result = sqlite3_prepare_v2(connection, sql, -1, &handle, nil)
        guard result == SQLITE_OK, let handle else { throw DatabaseError(result, of: connection) }
        self.handle = handle
    }

    deinit { sqlite3_finalize(handle) }

    /// Executes it to its end.
    public func execute(_ arguments: [(any Bindable)?] = []) throws(DatabaseError) {
        try start(arguments)
        defer { sqlite3_reset(handle) }
        while try step() {}
    }

    /// Makes it begin again, with these arguments.
    func start(_ arguments: [(any Bindable)?]) throws(DatabaseError) {
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
        for (index, argument) in arguments.enumerated() {
            guard let argument else { continue }
            try check(argument.bind(to: handle, at: Int32(index + 1)))
        }
    }

    /// - Returns: whether there is a row.
    func step() throws(DatabaseError) -> Bool {
        let result = sqlite3_step(handle)
        if result == SQLITE_ROW { return true }
        if result == SQLITE_DONE { return false }
        throw DatabaseError(result, of: sqlite3_db_handle(handle))
    }

    private func check(_ result: Int32) throws(DatabaseError) {
        guard result != SQLITE_OK else { return }
        throw DatabaseError(result, of: sqlite3_db_handle(handle))
    }

    func value<Value: ColumnValue>(_ column: Int) -> Value? { Value(statement: handle, column: Int32(column)) }

    func isNull(_ column: Int) -> Bool { sqlite3_column_type(handle, Int32(column)) == SQLITE_NULL }
}

/// The rows of a query, one at a time.
public final class Rows {
    private let statement: Statement

    init(_ statement: Statement, _ arguments: [(any Bindable)?]) throws(DatabaseError) {
        self.statement = statement
        try statement.start(arguments)
    }

    /// The next row, which is gone at the next call.
    public func next() throws(DatabaseError) -> Row? { try statement.step() ? Row(statement: statement) : nil }
}

/// A row of a query: values by the number of their column, from 0.
public struct Row {
    let statement: Statement

    /// The value of a column that always has one.
    public func value<Value: ColumnValue>(_ column: Int, _ type: Value.Type = Value.self) throws(BadValue) -> Value {
        guard let value: Value = statement.value(column) else { throw BadValue() }
        return value
    }

    /// The same of a column that may be NULL.
    public func optional<Value: ColumnValue>(_ column: Int) throws(BadValue) -> Value? {
        statement.isNull(column) ? nil : try value(column)
    }
}
