public import Health
public import IPNetworks

/// A validated configuration: every reference resolves, every value is in its range, every path is absolute.
///
/// Marks say where a setting was declared. What only the running system can tell (an interface is missing, an address is
/// not on this host) is reported at the place to change: see ``problem(at:_:)``. `docs/configuration.md` is the reference
/// of all settings.
public struct ServerConfiguration: Sendable {
    /// The document's name as it was given, for messages; of a file its path.
    public let file: String
    /// 1 to 16 endpoints, no two alike; each is served over UDP and TCP.
    public let listen: [ListenSettings]
    /// What clients of TCP and TLS may take.
    public let tcp: TCPSettings
    /// DNS over TLS; `nil` when it is not served.
    public let tls: TLSSettings?
    /// The control socket.
    public let control: PathSetting
    /// The folder for what outlives the process.
    public let state: PathSetting
    public let fastPath: FastPathSettings
    public let geo: GeoSettings
    public let identity: IdentitySettings
    public let cookies: CookieSettings
    /// Error replies are always limited; other replies where the configuration says so.
    public let rateLimit: RateLimitSettings
    /// At most ``maximumNodes``, ids unique.
    public let nodes: [NodeSettings]
    /// When too many of ``nodes`` fail at once.
    public let brake: Brake
    /// How nodes and agents report; `nil`: over the control socket only.
    public let reports: ReportSettings?
    /// Ids of the other vantage points that nodes are judged from, at most 15; unique.
    public let observers: [String]
    /// Ids unique; members name entries of ``nodes``.
    public let pools: [PoolSettings]
    /// Ids unique; members name entries of ``nodes``, none is in two.
    public let regions: [Region]
    /// Ids unique.
    public let policies: [PolicySettings]
    /// At most ``maximumViews``, ids unique.
    public let views: [ViewSettings]
    /// At least one, origins unique.
    public let zones: [ZoneSettings]
    /// Whether changes of this file, the zones' and the database are noticed and taken over.
    public let watch: Bool
    /// Names unique but for HTTPS or SVCB next to addresses, each inside one of ``zones``; pool and policy name entries of ``pools`` and ``policies``.
    public let tailored: [TailoredSettings]
    /// `nil`: round-trip times are not learned.
    public let roundTrips: RoundTripSettings?

    /// Nodes in one configuration.
    public static let maximumNodes = 4096
    /// Countries, networks and whatever else the rules of one policy name.
    public static let maximumRules = 1024
    /// Views in one configuration.
    public static let maximumViews = 64
    /// Endpoints under `listen`.
    public static let maximumListenEndpoints = 16
    /// Networks in a list of them.
    public static let maximumNetworks = 1024
    /// Entries of `geo.overrides`, and of `geo.asns`.
    public static let maximumOverrides = 65_536
    /// Bytes in a configuration file: 64 MiB.
    public static let maximumFileSize = 64 << 20

    /// The endpoints to serve, without their marks.
    public var endpoints: [SocketEndpoint] { listen.map(\.endpoint) }

    /// A problem found after validation, printed like those of the validation. The message ends with the remedy.
    public func problem(at mark: DocumentLocation, _ message: String) -> ConfigurationError.Problem {
        ConfigurationError.Problem(at: mark, message, remedy: nil)
    }
}
