/// A value and where it is declared.
public struct Located<Value: Sendable>: Sendable {
    public let value: Value
    public let location: DocumentLocation
    /// Where the key of the value is; in JSON the same as ``location``.
    public let key: DocumentLocation

    /// - Parameter key: the location of the key; `nil` where it has none of its own.
    @inlinable
    public init(_ value: Value, at location: DocumentLocation, key: DocumentLocation? = nil) {
        self.value = value
        self.location = location
        self.key = key ?? location
    }

    /// The same place with another value.
    func map<Other>(_ transform: (Value) -> Other) -> Located<Other> {
        Located<Other>(transform(value), at: location, key: key)
    }
}

/// What a document says of a key.
public enum Declared<Value: Sendable>: Sendable {
    /// The document does not have the key.
    case absent
    /// The document has a value of another type, which its reader has reported. Rules say nothing more about it.
    case unreadable
    case given(Located<Value>)

    /// A value at `location`.
    @inlinable
    public init(_ value: Value, at location: DocumentLocation, key: DocumentLocation? = nil) {
        self = .given(Located(value, at: location, key: key))
    }

    /// `nil` where there is no value, or none that could be read.
    @inlinable
    public var located: Located<Value>? {
        if case .given(let located) = self { located } else { nil }
    }

    @inlinable
    public var isAbsent: Bool {
        if case .absent = self { true } else { false }
    }

    /// The value, `fallback` where the key is absent; `nil` where it could not be read.
    func value(or fallback: Value) -> Value? {
        switch self {
        case .absent: fallback
        case .unreadable: nil
        case .given(let located): located.value
        }
    }
}

/// A list. Its elements are never `absent`.
public typealias DeclaredList<Element: Sendable> = Declared<[Declared<Element>]>

/// What may be switched off by the word `off`.
public enum Switchable<Settings: Sendable>: Sendable {
    case off
    case on(Settings)
}
