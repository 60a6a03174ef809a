import CSQLite

/// What SQLite refused.
public struct DatabaseError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Primary result codes, as far as callers tell them apart (https://www.sqlite.org/rescode.html).
    public struct Code: Hashable, Sendable {
        public let value: Int32

        public init(_ value: Int32) { self.value = value & 0xff }

        /// About the statement or the tables: one is missing, or has other columns.
        public static let error = Code(SQLITE_ERROR)
        public static let busy = Code(SQLITE_BUSY)
        public static let readOnly = Code(SQLITE_READONLY)
        public static let corrupt = Code(SQLITE_CORRUPT)
        public static let cannotOpen = Code(SQLITE_CANTOPEN)
        public static let constraint = Code(SQLITE_CONSTRAINT)
        public static let mismatch = Code(SQLITE_MISMATCH)
        public static let misuse = Code(SQLITE_MISUSE)
        public static let notADatabase = Code(SQLITE_NOTADB)
    }

    public let code: Code
    public let message: String

    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// What the last call on a connection says.
    init(_ result: Int32, of connection: OpaquePointer?) {
        code = Code(result)
        message = String(cString: connection.map { sqlite3_errmsg($0) } ?? sqlite3_errstr(result))
    }

    public var description: String { message }
}
