/// How the file descriptors that the process may have are shared out, so that what strangers can open never takes what the
/// daemon's own work needs.
///
///     limit ── own files, maps and sockets ── control ── probes ── rest: TCP, TLS, reports, scaled down to fit
///
/// A process that runs out of descriptors cannot check its nodes, hear its operator, or read a file; and some of what it
/// stands on ends the process instead of telling it.
public struct DescriptorBudget: Sendable, Equatable {
    /// What listeners for strangers ask for; 0: there is no such listener.
    public struct Streams: Sendable, Equatable {
        public var tcp: Int
        public var tls: Int
        public var reports: Int

        public init(tcp: Int, tls: Int, reports: Int) {
            self.tcp = tcp
            self.tls = tls
            self.reports = reports
        }

        public var sum: Int { tcp + tls + reports }
    }

    /// Descriptors that the process may have.
    public let limit: Int
    /// Of files, BPF maps and links, listening sockets, event loops, and what a reload opens meanwhile.
    public let own: Int
    /// Connections to the control socket.
    public let control: Int
    /// Probes of nodes that may be under way.
    public let probes: Int
    /// What strangers may open.
    public let streams: Streams
    /// What is asked for.
    public let wanted: Streams
    private let others: Int

    /// With fewer the daemon's own files, sockets and maps do not fit, and some of what it stands on ends the process.
    public static let least = 96
    static let standardOwn = 256
    static let standardControl = 64
    static let mostProbes = 8_192

    /// - Parameters:
    ///   - limit: descriptors that the process may have, at least ``least``.
    ///   - wanted: connections that the configuration allows.
    ///   - others: listening sockets, which are opened for each address and processor, and connections that are being closed.
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

    /// The same proportions; a listener that is there has a place at least.
    private static func scale(_ wanted: Streams, to rest: Int) -> Streams {
        func share(_ count: Int) -> Int { count == 0 ? 0 : max(1, count * rest / wanted.sum) }
        return Streams(tcp: share(wanted.tcp), tls: share(wanted.tls), reports: share(wanted.reports))
    }

    /// What does not fit, with the remedy; `nil` when all fits.
    public var shortage: String? {
        guard streams != wanted else { return nil }
        let cuts = [
            ("TCP", wanted.tcp, streams.tcp), ("TLS", wanted.tls, streams.tls),
            ("reports", wanted.reports, streams.reports),
        ]
        let words = cuts.filter { $0.1 != $0.2 }.map { "\($0.0) \($0.2) of \($0.1)" }
        return "fewer connections than configured, because the process may open only \(limit) file descriptors: "
            + "\(words.joined(separator: ", ")); raise the limit to \(enough) (LimitNOFILE= in the unit, ulimit -n)"
    }

    /// A limit under which all fits: an eighth of it is for probes, and half of it at most for the daemon's own files.
    private var enough: Int {
        let fixed = wanted.sum + Self.standardOwn + others + Self.standardControl
        return max(fixed + fixed / 7 + 1, 2 * (Self.standardOwn + others))
    }
}
