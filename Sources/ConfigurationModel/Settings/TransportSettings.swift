/// `tcp`: limits for clients of TCP and TLS.
public struct TCPSettings: Sendable, Equatable {
    /// Milliseconds without progress after which a connection is closed, 100 to 600,000.
    public let idleMilliseconds: Int
    /// Open connections over all clients of a transport, 1 to 1,000,000.
    public let connections: Int
    /// Open connections of one client, 1 to 1,000,000.
    public let connectionsPerClient: Int
    /// Queries on one connection, 0 (no limit) to 1,000,000.
    public let queriesPerConnection: Int

    /// The defaults.
    public static let standard = TCPSettings(
        idleMilliseconds: 10_000, connections: 1_024, connectionsPerClient: 64, queriesPerConnection: 0)
}

/// `tls`: DNS over TLS (RFC 7858).
public struct TLSSettings: Sendable {
    /// 1 to 16 distinct endpoints, none of them in `listen`.
    public let listen: [ListenSettings]
    /// The PEM file of the certificate chain.
    public let certificate: PathSetting
    /// The PEM file of the private key.
    public let key: PathSetting
    public let mark: DocumentLocation

    /// The port of DNS over TLS (RFC 7858, section 3.1).
    public static let defaultPort: UInt16 = 853
}
