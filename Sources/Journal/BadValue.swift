import GRDB

/// A value that is not of its column's type: SQLite checks types in few places, and damage makes any.
struct BadValue: Error {}

extension Row {
    /// The value of a column that always has one. GRDB's own subscripts end the process where there is none, and take any text for a
    /// number.
    func value<Value: DatabaseValueConvertible>(_ column: Int, _ type: Value.Type = Value.self) throws(BadValue)
        -> Value
    {
        let stored: DatabaseValue = self[column]
        guard let value = Value.fromDatabaseValue(stored) else { throw BadValue() }
        return value
    }

    /// The same of a column that may be NULL.
    func optional<Value: DatabaseValueConvertible>(_ column: Int) throws(BadValue) -> Value? {
        let stored: DatabaseValue = self[column]
        return stored.isNull ? nil : try value(column)
    }
}
