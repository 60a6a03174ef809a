/// A configuration as declared: with the keys of `docs/configuration.md`, not yet validated.
///
/// Values have the types of JSON: text, whole numbers, `true` and `false`, lists and mappings. Values with a syntax of
/// their own (addresses, networks, names, durations) are text. So are decimal numbers, which are never rounded. The
/// reader of a document checks these types and the names of keys. The rules check everything else:
/// `ServerConfiguration.init(_:document:baseFolder:found:)`.
public struct ConfigurationDeclaration: Sendable {
    public var listen: DeclaredList<String> = .absent
    public var tcp: Declared<TCPDeclaration> = .absent
    public var tls: Declared<TLSDeclaration> = .absent
    public var control: Declared<String> = .absent
    public var metrics: Declared<MetricsDeclaration> = .absent
    public var lookup: Declared<LookupDeclaration> = .absent
    public var fastPath: Declared<FastPathDeclaration> = .absent
    public var geo: Declared<GeoDeclaration> = .absent
    public var identity: Declared<IdentityDeclaration> = .absent
    public var cookies: Declared<CookiesDeclaration> = .absent
    public var rateLimit: Declared<RateLimitDeclaration> = .absent
    public var health: Declared<ServerHealthDeclaration> = .absent
    public var roundTrips: Declared<RoundTripsDeclaration> = .absent
    public var nodes: DeclaredList<NodeDeclaration> = .absent
    public var pools: DeclaredList<PoolDeclaration> = .absent
    public var regions: DeclaredList<RegionDeclaration> = .absent
    public var policies: DeclaredList<PolicyDeclaration> = .absent
    public var views: DeclaredList<ViewDeclaration> = .absent
    public var zones: DeclaredList<ZoneDeclaration> = .absent
    public var tailored: DeclaredList<TailoredDeclaration> = .absent
    public var aliases: DeclaredList<AliasDeclaration> = .absent
    public var state: Declared<String> = .absent
    public var watch: Declared<String> = .absent
    public var lint: Declared<LintDeclaration> = .absent

    /// Its keys, in the order in which messages list them.
    public static let keys = [
        "listen", "tcp", "tls", "control", "metrics", "lookup", "fast_path", "geo", "identity", "cookies", "rate_limit",
        "health",
        "rtt", "nodes", "pools", "regions", "policies", "views", "zones", "tailored", "aliases", "state", "watch",
        "lint",
    ]

    public init() {}
}
