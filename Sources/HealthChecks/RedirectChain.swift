import Health

/// The redirects that one probe follows.
struct RedirectChain: Sendable {
    private(set) var target: HTTPTarget
    private let redirects: HTTPRedirects
    private var seen: Set<HTTPTarget>

    /// Starts at this target.
    init(_ target: HTTPTarget, _ redirects: HTTPRedirects) {
        self.target = target
        self.redirects = redirects
        seen = [target]
    }

    /// Why a redirect is not followed, as a message for the operator.
    struct Refusal: Error {
        let evidence: String
    }

    /// The Host field: as configured for the first request, by the standard after a redirect.
    var hostField: String { seen.count == 1 ? target.host : target.hostField }

    /// Follows a redirect.
    mutating func follow(_ location: String?) throws(Refusal) {
        guard let location, let next = target.redirected(to: location) else {
            throw Refusal(evidence: "redirect without a usable Location")
        }
        let scheme = next.isSecure ? "https" : "http"
        let place = "\(scheme)://\(next.hostField)\(next.path.prefix { $0 != "?" })".prefix(120)
        guard redirects.isAnyHost || next.host == target.host else {
            throw Refusal(evidence: "redirect to another host: \(place)")
        }
        guard next.isSecure || !target.isSecure else {
            throw Refusal(evidence: "redirect from https to http: \(place)")
        }
        guard seen.insert(next).inserted else { throw Refusal(evidence: "redirect loop: \(place)") }
        guard seen.count <= redirects.limit + 1 else {
            throw Refusal(evidence: "more than \(redirects.limit) redirects: \(place)")
        }
        target = next
    }
}
