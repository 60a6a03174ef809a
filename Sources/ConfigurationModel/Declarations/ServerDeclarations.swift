/// `tcp`.
public struct TCPDeclaration: Sendable {
    public var idle: Declared<String> = .absent
    public var connections: Declared<Int> = .absent
    public var perClient: Declared<Int> = .absent
    public var queries: Declared<Int> = .absent

    public static let keys = ["idle", "connections", "per_client", "queries"]

    public init() {}
}

/// `tls`.
public struct TLSDeclaration: Sendable {
    public var listen: DeclaredList<String> = .absent
    public var certificate: Declared<String> = .absent
    public var key: Declared<String> = .absent

    public static let keys = ["listen", "certificate", "key"]

    public init() {}
}

/// `metrics`.
public struct MetricsDeclaration: Sendable {
    public var listen: DeclaredList<String> = .absent
    public var tls: Declared<MetricsTLSDeclaration> = .absent

    public static let keys = ["listen", "tls"]

    public init() {}
}

/// `metrics.tls`.
public struct MetricsTLSDeclaration: Sendable {
    public var certificate: Declared<String> = .absent
    public var key: Declared<String> = .absent

    public static let keys = ["certificate", "key"]

    public init() {}
}

/// `lookup`.
public struct LookupDeclaration: Sendable {
    public var servers: DeclaredList<String> = .absent

    public static let keys = ["servers"]

    public init() {}
}

/// `fast_path`.
public struct FastPathDeclaration: Sendable {
    public var interfaces: DeclaredList<String> = .absent
    public var mode: Declared<String> = .absent
    public var onExit: Declared<String> = .absent
    public var stale: Declared<StaleDeclaration> = .absent
    public var cookies: Declared<Bool> = .absent
    public var nsid: Declared<Bool> = .absent
    public var vlan: Declared<Bool> = .absent
    public var truncation: Declared<Bool> = .absent
    public var rateLimit: Declared<Bool> = .absent
    public var passedPerSecond: Declared<Int> = .absent
    public var passedDryRun: Declared<Bool> = .absent

    public static let keys = [
        "interfaces", "mode", "on_exit", "stale", "cookies", "nsid", "vlan", "truncation", "rate_limit",
        "passed_per_second", "passed_dry_run",
    ]

    public init() {}
}

/// `fast_path.stale`.
public struct StaleDeclaration: Sendable {
    public var after: Declared<String> = .absent
    public var ttl: Declared<Int> = .absent

    public static let keys = ["after", "ttl"]

    public init() {}
}

/// `identity`.
public struct IdentityDeclaration: Sendable {
    public var nsid: Declared<String> = .absent
    public var hostname: Declared<String> = .absent
    public var version: Declared<String> = .absent
    public var digest: Declared<Bool> = .absent

    public static let keys = ["nsid", "hostname", "version", "digest"]

    public init() {}
}

/// `cookies`.
public struct CookiesDeclaration: Sendable {
    public var enabled: Declared<Bool> = .absent
    public var secrets: DeclaredList<String> = .absent
    public var secretFile: Declared<String> = .absent
    public var require: Declared<Bool> = .absent

    public static let keys = ["enabled", "secrets", "secret_file", "require"]

    public init() {}
}

/// `rate_limit`.
public struct RateLimitDeclaration: Sendable {
    public var responsesPerSecond: Declared<Int> = .absent
    public var errorsPerSecond: Declared<Int> = .absent
    public var slip: Declared<Int> = .absent
    public var v4Prefix: Declared<Int> = .absent
    public var v6Prefix: Declared<Int> = .absent
    public var exempt: DeclaredList<String> = .absent
    public var dryRun: Declared<Bool> = .absent

    public static let keys = [
        "responses_per_second", "errors_per_second", "slip", "ipv4_prefix", "ipv6_prefix", "exempt", "dry_run",
    ]

    public init() {}
}

/// `rtt`.
public struct RoundTripsDeclaration: Sendable {
    public var node: Declared<String> = .absent
    public var ports: DeclaredList<Int> = .absent
    public var file: Declared<String> = .absent
    public var minimumSamples: Declared<Int> = .absent
    public var margin: Declared<Int> = .absent
    public var every: Declared<String> = .absent

    public static let keys = ["node", "ports", "file", "minimum_samples", "margin", "every"]

    public init() {}
}

/// `lint`.
public struct LintDeclaration: Sendable {
    public var off: DeclaredList<String> = .absent

    public static let keys = ["off"]

    public init() {}
}
