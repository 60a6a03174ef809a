import GRDB

/// A value that does not have its column's type: SQLite checks types in few places, and damage can produce any.
struct BadValue: Error {}

extension Row {
    /// The value of a column that is never NULL. GRDB's own subscripts end the process if it is missing, and accept any
    /// text as a number.
    func value<Value: DatabaseValueConvertible>(_ column: Int, _ type: Value.Type = Value.self) throws(BadValue)
        -> Value
    {
        let stored: DatabaseValue = self[column]
        guard let value = Value.fromDatabaseValue(stored) else { throw BadValue() }
        return value
    }

    /// The same for a column that may be NULL.
    func optional<Value: DatabaseValueConvertible>(_ column: Int) throws(BadValue) -> Value? {
        let stored: DatabaseValue = self[column]
        return stored.isNull ? nil : try value(column)
    }
}
