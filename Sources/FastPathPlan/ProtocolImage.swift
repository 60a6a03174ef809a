public import CFastPathABI
import DNSWire
import IPNetworks
public import Resolution

/// Which parts of the protocol the fast path handles. Parts that are off are left to user space.
public struct FastPathSwitches: Hashable, Sendable {
    /// Whether it answers queries with a COOKIE option, if the server uses cookies.
    public var answersCookies = true
    /// Whether it answers queries that request the server's identifier.
    public var answersIdentifier = true
    /// Whether it answers frames with VLAN tags.
    public var answersTagged = true
    /// Whether it truncates replies that are too long for the client.
    public var cutsReplies = true
    /// Whether it limits answers, if the server has a limit. Errors are always limited.
    public var limitsRate = true
    /// Maximum number of queries per second that one processor passes to user space; `nil`: unlimited.
    public var passedPerSecond: UInt32?
    /// Whether queries over that limit are only counted, and passed nevertheless.
    public var isPassedDryRun = false

    public init() {}
}

/// The protocol options in the layout of `bpf/abi/protocol.h`.
public struct ProtocolImage: Hashable, Sendable {
    public let record: nc_protocol

    /// No cookies, no identifier and no rate limit; tagged frames are answered.
    public init() { record = nc_protocol() }

    /// - Precondition: the settings have at most 8 cookie secrets. If a rate limit exempts more than `NC_MAX_EXEMPT`
    ///   networks, the limit of answers is left to user space.
    public init(_ settings: ProtocolSettings, _ switches: FastPathSwitches = FastPathSwitches()) {
        var record = nc_protocol()
        record.declines_tagged = switches.answersTagged ? 0 : 1
        record.declines_cut = switches.cutsReplies ? 0 : 1
        record.passed_per_second = switches.passedPerSecond ?? 0
        record.passed_dry_run = switches.isPassedDryRun ? 1 : 0
        if let cookies = settings.cookies { Self.write(cookies, switches, to: &record) }
        if let nsid = settings.identity.nsid { Self.write(nsid, switches, to: &record) }
        if let limit = settings.rateLimit { Self.write(limit, switches, to: &record.rate) }
        self.record = record
    }

    private static func use(_ isAnswered: Bool) -> UInt8 {
        UInt8((isAnswered ? NC_OPTION_ANSWERED : NC_OPTION_DECLINED).rawValue)
    }

    private static func write(_ cookies: CookieKeys, _ switches: FastPathSwitches, to record: inout nc_protocol) {
        precondition(cookies.secrets.count <= NC_MAX_COOKIE_SECRETS, "the program has room for 8 secrets")
        record.cookies = use(switches.answersCookies)
        record.requires_cookie = cookies.isRequired ? 1 : 0
        record.secrets = UInt8(cookies.secrets.count)
        withUnsafeMutableBytes(of: &record.secret) { bytes in
            cookies.secrets.map(\.key).withUnsafeBytes { bytes.copyBytes(from: $0) }
        }
    }

    private static func write(_ nsid: [UInt8], _ switches: FastPathSwitches, to record: inout nc_protocol) {
        record.nsid = use(switches.answersIdentifier)
        // Option code and length, in network order.
        let option = [0, UInt8(OptionCode.nsid), UInt8(nsid.count >> 8), UInt8(nsid.count & 255)] + nsid
        record.nsid_length = UInt32(option.count)
        withUnsafeMutableBytes(of: &record.nsid_option) { $0.copyBytes(from: option) }
    }

    private static func write(
        _ limit: ResponseRateLimit, _ switches: FastPathSwitches, to rule: inout nc_rate_rule
    ) {
        // If there are too many networks, answers are not limited, and errors to the networks that do not fit are.
        let exempt = limit.exempt.prefix(Int(NC_MAX_EXEMPT))
        let limitsAnswers = switches.limitsRate && exempt.count == limit.exempt.count
        rule.secret = limit.secret
        rule.per_second = limitsAnswers ? UInt32(limit.rule.responsesPerSecond) : 0
        rule.errors_per_second = UInt32(limit.rule.errorsPerSecond)
        rule.slip = limit.rule.slip
        rule.dry_run = limit.rule.isDryRun ? 1 : 0
        rule.v4_prefix = UInt8(limit.rule.v4PrefixLength)
        rule.v6_prefix = UInt8(limit.rule.v6PrefixLength)
        rule.exempt_count = UInt32(exempt.count)
        withUnsafeMutableBytes(of: &rule.exempt) { $0.copyBytes(from: exempt.flatMap(\.mappedCell)) }
    }

    /// Which queries the program handles at all (`enum nc_answering`).
    public var answering: UInt32 {
        var flags = NC_ANSWERS.rawValue
        if record.rate.per_second > 0 { flags |= NC_LIMITS_RATE.rawValue }
        if record.passed_per_second > 0 { flags |= NC_LIMITS_PASSED.rawValue }
        return flags
    }

    public static func == (left: ProtocolImage, right: ProtocolImage) -> Bool {
        withUnsafeBytes(of: left.record) { left in
            withUnsafeBytes(of: right.record) { left.elementsEqual($0) }
        }
    }

    public func hash(into hasher: inout Hasher) { withUnsafeBytes(of: record) { hasher.combine(bytes: $0) } }
}
