import CSQLite

/// What a statement takes in place of a `?`.
public protocol Bindable {
    /// - Returns: a result code.
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32
}

/// What a column can be read as.
public protocol ColumnValue {
    /// `nil`: the value is not of this type. SQLite keeps a value of any type in nearly every column, and damage makes any.
    init?(statement: OpaquePointer, column: Int32)
}

/// A value that is not of its column's type.
public struct BadValue: Error {
    public init() {}
}

extension Bindable where Self: FixedWidthInteger {
    public func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        sqlite3_bind_int64(statement, index, Int64(clamping: self))
    }
}

extension Int64: Bindable, ColumnValue {
    public init?(statement: OpaquePointer, column: Int32) {
        guard sqlite3_column_type(statement, column) == SQLITE_INTEGER else { return nil }
        self = sqlite3_column_int64(statement, column)
    }
}

extension Int: Bindable, ColumnValue {
    public init?(statement: OpaquePointer, column: Int32) {
        guard let value = Int64(statement: statement, column: column) else { return nil }
        self.init(value)
    }
}

extension UInt16: Bindable {}
extension UInt32: Bindable {}

extension Bool: Bindable, ColumnValue {
    public func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        sqlite3_bind_int64(statement, index, self ? 1 : 0)
    }

    public init?(statement: OpaquePointer, column: Int32) {
        guard let value = Int64(statement: statement, column: column) else { return nil }
        self = value != 0
    }
}

extension String: Bindable, ColumnValue {
    public func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        var text = self
        return text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { characters in
                // Without bytes there is no address, which would bind NULL.
                characters.baseAddress.map { nc_sqlite_bind_text(statement, index, $0, Int32(characters.count)) }
                    ?? nc_sqlite_bind_text(statement, index, "", 0)
            }
        }
    }

    public init?(statement: OpaquePointer, column: Int32) {
        guard sqlite3_column_type(statement, column) == SQLITE_TEXT else { return nil }
        let start = sqlite3_column_text(statement, column)
        let count = Int(sqlite3_column_bytes(statement, column))
        self.init(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }
}

extension [UInt8]: Bindable, ColumnValue {
    public func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        guard !isEmpty else { return sqlite3_bind_zeroblob(statement, index, 0) }
        return withUnsafeBytes { nc_sqlite_bind_blob(statement, index, $0.baseAddress, Int32($0.count)) }
    }

    public init?(statement: OpaquePointer, column: Int32) {
        guard sqlite3_column_type(statement, column) == SQLITE_BLOB else { return nil }
        let start = sqlite3_column_blob(statement, column)
        let count = Int(sqlite3_column_bytes(statement, column))
        self.init(UnsafeRawBufferPointer(start: start, count: count))
    }
}
