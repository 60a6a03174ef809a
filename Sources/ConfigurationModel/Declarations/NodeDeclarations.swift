/// An entry of `nodes`.
public struct NodeDeclaration: Sendable {
    public var id: Declared<String> = .absent
    public var addresses: DeclaredList<String> = .absent
    public var overlay: DeclaredList<String> = .absent
    public var hostname: Declared<String> = .absent
    public var provider: Declared<String> = .absent
    public var texts: DeclaredList<String> = .absent
    public var location: Declared<NodeLocationDeclaration> = .absent
    public var capacity: Declared<Int> = .absent
    public var health: Declared<Switchable<HealthDeclaration>> = .absent

    public static let keys = [
        "id", "addresses", "overlay", "hostname", "provider", "texts", "location", "capacity", "health",
    ]

    public init() {}
}

/// `location` of a node.
public struct NodeLocationDeclaration: Sendable {
    /// Decimal degrees, as text.
    public var latitude: Declared<String> = .absent
    /// Decimal degrees, as text.
    public var longitude: Declared<String> = .absent
    public var country: Declared<String> = .absent
    public var region: Declared<String> = .absent
    public var continent: Declared<String> = .absent

    public static let keys = ["latitude", "longitude", "country", "region", "continent"]

    public init() {}
}

/// An entry of `pools`.
public struct PoolDeclaration: Sendable {
    public var id: Declared<String> = .absent
    public var nodes: DeclaredList<PoolMemberDeclaration> = .absent
    public var pools: DeclaredList<String> = .absent
    public var minimum: Declared<Int> = .absent
    public var health: Declared<Switchable<HealthDeclaration>> = .absent

    public static let keys = ["id", "nodes", "pools", "minimum", "health"]

    public init() {}
}

/// An entry of `nodes` of a pool: `fra1`, which is only an id, or `{id: fra1, weight: 10}`.
public struct PoolMemberDeclaration: Sendable {
    public var id: Declared<String> = .absent
    public var weight: Declared<Int> = .absent
    public var capacity: Declared<Int> = .absent
    public var bias: Declared<Int> = .absent

    public static let keys = ["id", "weight", "capacity", "bias"]

    public init() {}
}

/// An entry of `regions`.
public struct RegionDeclaration: Sendable {
    public var id: Declared<String> = .absent
    public var nodes: DeclaredList<String> = .absent
    public var threshold: Declared<Int> = .absent

    public static let keys = ["id", "nodes", "threshold"]

    public init() {}
}
