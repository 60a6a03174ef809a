/// The outcome of a query on the slow path. Raw values are stable, because counters are stored by them.
public enum Verdict: UInt8, CaseIterable, Sendable {
    /// No reply: the packet was a response, or shorter than a header.
    case dropped = 0
    case answeredTailored = 1
    case answeredStatic = 2
    case noData = 3
    case nxDomain = 4
    case referral = 5
    case refused = 6
    case formErr = 7
    case notImp = 8
    case badVers = 9
    /// The reply did not fit, and has TC set.
    case truncated = 10
    /// DNAME substitution gave a name that is too long (RFC 6672, section 2.2).
    case yxDomain = 11
    /// The query has a cookie without a valid server cookie, which is required (RFC 7873, section 5.2.3).
    case badCookie = 12
    /// A query without a question, which only requests a cookie (RFC 7873, section 5.4).
    case cookieSent = 13
    /// No reply: the client network exceeded its rate limit.
    case rateDropped = 14
    /// The client network exceeded its rate limit, and the reply was truncated.
    case rateSlipped = 15
    /// No reply over UDP: the sender's port is that of a service, and the packet was not a query or the service answers
    /// every datagram.
    case servicePort = 16

    /// The name under which the counter is exported.
    public var name: String {
        switch self {
        case .dropped: "dropped"
        case .answeredTailored: "answered_tailored"
        case .answeredStatic: "answered_static"
        case .noData: "nodata"
        case .nxDomain: "nxdomain"
        case .referral: "referral"
        case .refused: "refused"
        case .formErr: "formerr"
        case .notImp: "notimp"
        case .badVers: "badvers"
        case .truncated: "truncated"
        case .yxDomain: "yxdomain"
        case .badCookie: "badcookie"
        case .cookieSent: "cookie_sent"
        case .rateDropped: "rate_dropped"
        case .rateSlipped: "rate_slipped"
        case .servicePort: "service_port"
        }
    }
}
