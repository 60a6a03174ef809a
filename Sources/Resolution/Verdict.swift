/// What became of a query on the slow path. The raw values are stable: counters are kept by them.
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
    /// The reply did not fit and has TC.
    case truncated = 10
    /// A DNAME made a name that is too long (RFC 6672, section 2.2).
    case yxDomain = 11
    /// The query has a cookie and not a valid one of the server's, which is required (RFC 7873, section 5.2.3).
    case badCookie = 12
    /// A query without a question, which asks for a cookie only (RFC 7873, section 5.4).
    case cookieSent = 13
    /// No reply: the client network has had too many.
    case rateDropped = 14
    /// The same, but the reply was cut to its question with TC.
    case rateSlipped = 15
    /// No reply over UDP: a service stands behind the sender's port, and the packet was no query or the service answers
    /// everything.
    case servicePort = 16

    /// The name that counters are exported under.
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
