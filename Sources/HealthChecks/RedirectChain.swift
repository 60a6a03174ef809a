import Health

/// The redirects that one probe follows.
struct RedirectChain: Sendable {
    private(set) var target: HTTPTarget
    private let redirects: HTTPRedirects
    private var seen: Set<HTTPTarget>

    /// From this target on.
    init(_ target: HTTPTarget, _ redirects: HTTPRedirects) {
        self.target = target
        self.redirects = redirects
        seen = [target]
    }

    /// Why a redirect is not followed, in the user's words.
    struct Refusal: Error {
        let evidence: String
    }

    /// The Host field: as it is configured at first, and as the standard has it behind a redirect.
    var hostField: String { seen.count == 1 ? target.host : target.hostField }

    /// Follows a redirect.
    mutating func follow(_ location: String?) throws(Refusal) {
        guard let location, let next = target.redirected(to: location) else {
            throw Refusal(evidence: "a redirect to nowhere")
        }
        let scheme = next.isSecure ? "https" : "http"
        let place = "\(scheme)://\(next.hostField)\(next.path.prefix { $0 != "?" })".prefix(120)
        guard redirects.isAnyHost || next.host == target.host else {
            throw Refusal(evidence: "a redirect to another host: \(place)")
        }
        guard next.isSecure || !target.isSecure else { throw Refusal(evidence: "a redirect out of TLS: \(place)") }
        guard seen.insert(next).inserted else { throw Refusal(evidence: "a loop of redirects: \(place)") }
        guard seen.count <= redirects.limit + 1 else {
            throw Refusal(evidence: "more than \(redirects.limit) redirects: \(place)")
        }
        target = next
    }
}
