public import Health
public import IPNetworks
public import Lints

/// A validated configuration: every reference resolves, every value is in its range, every path is absolute.
///
/// Marks hold the location of a setting. Problems that only the running system can detect (a missing interface, an
/// address that is not on this host) are reported at that location: see ``problem(at:_:)``. `docs/configuration.md` is
/// the reference of all settings.
public struct ServerConfiguration: Sendable {
    /// The document's name as given, for messages: for a file its path.
    public let file: String
    /// 1 to 16 distinct endpoints. Each is served over UDP and TCP.
    public let listen: [ListenSettings]
    /// Limits for clients of TCP and TLS.
    public let tcp: TCPSettings
    /// DNS over TLS; `nil` when it is not served.
    public let tls: TLSSettings?
    /// The control socket.
    public let control: PathSetting
    /// The listener for metrics. `nil`: metrics over the control socket only.
    public let metrics: MetricsSettings?
    public let lookup: LookupSettings
    /// The folder for persistent state.
    public let state: PathSetting
    public let fastPath: FastPathSettings
    public let geo: GeoSettings
    public let identity: IdentitySettings
    public let cookies: CookieSettings
    /// Error replies are always limited, other replies if the configuration says so.
    public let rateLimit: RateLimitSettings
    /// At most ``maximumNodes``, with unique ids.
    public let nodes: [NodeSettings]
    /// Mass-failure protection of ``nodes``.
    public let brake: Brake
    /// How nodes and agents report. `nil`: over the control socket only.
    public let reports: ReportSettings?
    /// Ids of the other observers, at most 15, unique.
    public let observers: [String]
    /// At most 16 programs that run when nodes change their state.
    public let hooks: [HookSettings]
    /// Unique ids. Members refer to entries of ``nodes``.
    public let pools: [PoolSettings]
    /// Unique ids. Members refer to entries of ``nodes``; none is in two regions.
    public let regions: [Region]
    /// Unique ids.
    public let policies: [PolicySettings]
    /// At most ``maximumViews``, with unique ids.
    public let views: [ViewSettings]
    /// At least one, with unique origins.
    public let zones: [ZoneSettings]
    /// What happens when configuration, zone and data files change.
    public let watch: WatchMode
    /// Unique names, except that HTTPS or SVCB may share one with addresses. Each is inside one of ``zones``. Pool and
    /// policy refer to entries of ``pools`` and ``policies``.
    public let tailored: [TailoredSettings]
    /// At most ``maximumAliases``.
    public let aliases: [AliasSettings]
    /// `nil`: round-trip times are not learned.
    public let roundTrips: RoundTripSettings?
    /// Kinds of warnings that are switched off.
    public let lintsOff: Set<Lint>

    /// Maximum number of nodes.
    public static let maximumNodes = 4096
    /// Maximum number of countries, networks and other matches in the rules of one policy.
    public static let maximumRules = 1024
    /// Maximum number of aliases.
    public static let maximumAliases = 256
    /// Maximum number of views.
    public static let maximumViews = 64
    /// Maximum number of endpoints under `listen`.
    public static let maximumListenEndpoints = 16
    /// Maximum number of networks in a list.
    public static let maximumNetworks = 1024
    /// Maximum number of entries of `geo.overrides`, and of `geo.asns`.
    public static let maximumOverrides = 65_536
    /// Maximum size of a configuration file in bytes: 64 MiB.
    public static let maximumFileSize = 64 << 20

    /// The endpoints to serve, without their marks.
    public var endpoints: [SocketEndpoint] { listen.map(\.endpoint) }

    /// The warnings whose kinds are not switched off.
    public func allowed(_ warnings: [LintWarning]) -> [LintWarning] {
        lintsOff.isEmpty ? warnings : warnings.filter { !lintsOff.contains($0.lint) }
    }

    /// Ids of the pools that names, or the fallbacks of their policies, are answered from.
    package var servedPools: Set<String> {
        let fallbacks = Dictionary(
            policies.compactMap { policy -> (String, String)? in
                guard case .fallback(let pool) = policy.whenAllDown else { return nil }
                return (policy.id, pool)
            }, uniquingKeysWith: { $1 })
        return tailored.reduce(into: []) { served, name in
            for (pool, policy) in [(name.pool, name.policy)] + name.views.map({ ($0.pool, $0.policy) }) {
                served.insert(pool)
                if let other = fallbacks[policy] { served.insert(other) }
            }
        }
    }

    /// A problem found after validation, in the same form. The message ends with the remedy.
    public func problem(at mark: DocumentLocation, _ message: String) -> ConfigurationError.Problem {
        ConfigurationError.Problem(at: mark, message, remedy: nil)
    }
}
