/// An entry of `views`.
public struct ViewDeclaration: Sendable {
    public var id: Declared<String> = .absent
    public var clients: DeclaredList<String> = .absent
    public var addresses: Declared<String> = .absent

    public static let keys = ["id", "clients", "addresses"]

    public init() {}
}

/// An entry of `zones`.
public struct ZoneDeclaration: Sendable {
    public var origin: Declared<String> = .absent
    public var file: Declared<String> = .absent
    public var allow: DeclaredList<String> = .absent
    public var deny: DeclaredList<String> = .absent

    public static let keys = ["origin", "file", "allow", "deny"]

    public init() {}
}

/// An entry of `aliases`.
public struct AliasDeclaration: Sendable {
    public var name: Declared<String> = .absent
    public var target: Declared<String> = .absent
    public var ttl: Declared<Int> = .absent
    public var stale: Declared<String> = .absent

    public static let keys = ["name", "target", "ttl", "stale"]

    public init() {}
}

/// An entry of `tailored`.
public struct TailoredDeclaration: Sendable {
    public var name: Declared<String> = .absent
    public var type: Declared<String> = .absent
    public var pool: Declared<String> = .absent
    public var policy: Declared<String> = .absent
    public var port: Declared<Int> = .absent
    public var priority: Declared<Int> = .absent
    public var alpn: DeclaredList<String> = .absent
    /// In document order.
    public var views: Declared<[TailoredViewDeclaration]> = .absent

    public static let keys = ["name", "type", "pool", "policy", "port", "priority", "alpn", "views"]

    public init() {}
}

/// A member of `views` of a tailored name: `office: {pool: ops}`.
public struct TailoredViewDeclaration: Sendable {
    /// The key: the id of a view, with its location.
    public let view: Located<String>
    public let choice: Declared<Choice>

    /// The choice for clients of the view.
    public struct Choice: Sendable {
        public var pool: Declared<String> = .absent
        public var policy: Declared<String> = .absent

        public static let keys = ["pool", "policy"]

        public init() {}
    }

    public init(view: Located<String>, choice: Declared<Choice>) {
        self.view = view
        self.choice = choice
    }
}
