/// Divides the process's file descriptors, so that clients cannot take those that the daemon needs for its own work.
///
///     limit ── own files, maps and sockets ── control ── probes ── rest: TCP, TLS, reports, metrics, scaled down to fit
///
/// A process without descriptors cannot check its nodes, accept its operator, or read a file, and some libraries then
/// end the process instead of returning an error.
public struct DescriptorBudget: Sendable, Equatable {
    /// Connections that network listeners ask for. 0: there is no such listener.
    public struct Streams: Sendable, Equatable {
        public var tcp: Int
        public var tls: Int
        public var reports: Int
        public var metrics: Int

        public init(tcp: Int, tls: Int, reports: Int, metrics: Int = 0) {
            self.tcp = tcp
            self.tls = tls
            self.reports = reports
            self.metrics = metrics
        }

        public var sum: Int { tcp + tls + reports + metrics }
    }

    /// The process's descriptor limit.
    public let limit: Int
    /// For files, BPF maps and links, listening sockets, event loops, and what a reload opens meanwhile.
    public let own: Int
    /// Connections to the control socket.
    public let control: Int
    /// Concurrent probes of nodes.
    public let probes: Int
    /// Connections of network listeners.
    public let streams: Streams
    /// The configured values.
    public let wanted: Streams
    private let others: Int

    /// With fewer, the daemon's own files, sockets and maps do not fit, and some libraries end the process.
    public static let least = 96
    static let standardOwn = 256
    static let standardControl = 256
    static let mostProbes = 8_192

    /// - Parameters:
    ///   - limit: the process's descriptor limit, at least ``least``.
    ///   - wanted: the configured connections.
    ///   - others: listening sockets, one for each address and CPU, and connections being closed.
    public init(limit: Int, wanted: Streams, others: Int) {
        self.limit = limit
        self.others = others
        self.wanted = wanted
        own = min(Self.standardOwn + others, limit / 2)
        control = min(Self.standardControl, limit / 16)
        probes = min(Self.mostProbes, limit / 8)
        let rest = max(0, limit - own - control - probes)
        streams = wanted.sum <= rest ? wanted : Self.scale(wanted, to: rest)
    }

    /// Scales all listeners down in proportion. Every existing listener keeps at least one place.
    private static func scale(_ wanted: Streams, to rest: Int) -> Streams {
        func share(_ count: Int) -> Int { count == 0 ? 0 : max(1, count * rest / wanted.sum) }
        return Streams(
            tcp: share(wanted.tcp), tls: share(wanted.tls), reports: share(wanted.reports),
            metrics: share(wanted.metrics))
    }

    /// What does not fit, with the remedy. `nil` when everything fits.
    public var shortage: String? {
        guard streams != wanted else { return nil }
        let cuts = [
            ("TCP", wanted.tcp, streams.tcp), ("TLS", wanted.tls, streams.tls),
            ("reports", wanted.reports, streams.reports), ("metrics", wanted.metrics, streams.metrics),
        ]
        let words = cuts.filter { $0.1 != $0.2 }.map { "\($0.0) \($0.2) of \($0.1)" }
        return "fewer connections than configured, because the process may open only \(limit) file descriptors: "
            + "\(words.joined(separator: ", ")); raise the limit to \(enough) (LimitNOFILE= in the unit, ulimit -n)"
    }

    /// The limit with which everything fits: an eighth is for probes, and at most half for the daemon's own files.
    private var enough: Int {
        let fixed = wanted.sum + Self.standardOwn + others + Self.standardControl
        return max(fixed + fixed / 7 + 1, 2 * (Self.standardOwn + others))
    }
}
