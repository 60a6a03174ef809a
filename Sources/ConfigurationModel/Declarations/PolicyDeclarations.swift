/// An entry of `policies`.
public struct PolicyDeclaration: Sendable {
    public var id: Declared<String> = .absent
    public var strategy: Declared<String> = .absent
    public var answers: Declared<Int> = .absent
    public var ttl: Declared<TTLDeclaration> = .absent
    public var tolerance: Declared<ToleranceDeclaration> = .absent
    public var ecs: Declared<Bool> = .absent
    public var whenAllDown: Declared<AllDownDeclaration> = .absent
    public var sameRegion: Declared<Bool> = .absent
    /// A decimal number, as text.
    public var biasFactor: Declared<String> = .absent
    /// Files. A single one may be given without a list.
    public var latency: DeclaredList<String> = .absent
    public var weighBy: Declared<String> = .absent
    public var maximumDistance: Declared<Int> = .absent
    public var rules: DeclaredList<RuleDeclaration> = .absent

    public static let keys = [
        "id", "strategy", "answers", "ttl", "tolerance", "ecs", "when_all_down", "same_region", "bias_factor",
        "latency", "weigh_by", "maximum_distance", "rules",
    ]

    public init() {}
}

/// `ttl` of a policy.
public struct TTLDeclaration: Sendable {
    public var min: Declared<Int> = .absent
    public var max: Declared<Int> = .absent

    public static let keys = ["min", "max"]

    public init() {}
}

/// `tolerance` of a policy.
public struct ToleranceDeclaration: Sendable {
    public var percent: Declared<Int> = .absent
    public var kilometres: Declared<Int> = .absent

    public static let keys = ["percent", "kilometres"]

    public init() {}
}

/// `when_all_down` of a policy.
public enum AllDownDeclaration: Sendable {
    /// `open` or `refuse`.
    case word(String)
    /// `{fallback: POOL}` or `{addresses: [ADDRESS]}`.
    case other(fallback: Declared<String>, addresses: DeclaredList<String>)

    public static let keys = ["fallback", "addresses"]
}

/// An entry of `rules` of a policy.
public struct RuleDeclaration: Sendable {
    public var countries: DeclaredList<String> = .absent
    public var regions: DeclaredList<String> = .absent
    public var continents: DeclaredList<String> = .absent
    public var asns: DeclaredList<Int> = .absent
    public var prefixes: DeclaredList<String> = .absent
    public var labels: DeclaredList<String> = .absent
    public var everyone: Declared<Bool> = .absent
    public var allow: Declared<RuleNodesDeclaration> = .absent
    public var deny: Declared<RuleNodesDeclaration> = .absent
    public var pin: Declared<RuleNodesDeclaration> = .absent

    /// The keys that select clients.
    public static let matches = ["countries", "regions", "continents", "asns", "prefixes", "labels", "everyone"]
    public static let keys = matches + RuleSettings.Action.allCases.map(\.rawValue)

    public init() {}
}

/// The nodes that a rule allows, denies or pins.
public enum RuleNodesDeclaration: Sendable {
    /// The word `all`.
    case all
    case nodes([Declared<String>])
}
