/// A value and its location.
public struct Located<Value: Sendable>: Sendable {
    public let value: Value
    public let location: DocumentLocation
    /// Location of the value's key. In JSON the same as ``location``.
    public let key: DocumentLocation

    /// - Parameter key: the location of the key. `nil`: the key has no location of its own.
    @inlinable
    public init(_ value: Value, at location: DocumentLocation, key: DocumentLocation? = nil) {
        self.value = value
        self.location = location
        self.key = key ?? location
    }

    /// Another value at the same location.
    func map<Other>(_ transform: (Value) -> Other) -> Located<Other> {
        Located<Other>(transform(value), at: location, key: key)
    }
}

/// The value of a key in a document.
public enum Declared<Value: Sendable>: Sendable {
    /// The document does not have the key.
    case absent
    /// The value has the wrong type, which the reader has reported. Rules say nothing more about it.
    case unreadable
    case given(Located<Value>)

    /// A value at `location`.
    @inlinable
    public init(_ value: Value, at location: DocumentLocation, key: DocumentLocation? = nil) {
        self = .given(Located(value, at: location, key: key))
    }

    /// `nil` if there is no value, or an unreadable one.
    @inlinable
    public var located: Located<Value>? {
        if case .given(let located) = self { located } else { nil }
    }

    @inlinable
    public var isAbsent: Bool {
        if case .absent = self { true } else { false }
    }

    /// The value, or `fallback` if the key is absent. `nil` if it could not be read.
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

/// A value that can be switched off with the word `off`.
public enum Switchable<Settings: Sendable>: Sendable {
    case off
    case on(Settings)
}
