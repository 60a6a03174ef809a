import Health

/// The target of a request: a URI (RFC 9110, section 4.2) without the address. The address is always the node's,
/// whatever the host.
package struct HTTPTarget: Hashable, Sendable {
    package let isSecure: Bool
    /// Without the port. IPv6 addresses are in brackets.
    package let host: String
    package let port: UInt16
    /// Path and query.
    package let path: String

    package init(isSecure: Bool, host: String, port: UInt16, path: String) {
        self.isSecure = isSecure
        self.host = host
        self.port = port
        self.path = path
    }

    private static let longest = 2_048

    /// The Host field. It names the port unless it is the scheme's default (RFC 9110, section 7.2).
    var hostField: String { port == (isSecure ? 443 : 80) ? host : "\(host):\(port)" }

    /// Resolves a Location field against this target (RFC 9110, section 10.2.2; RFC 3986, section 5.2 as far as servers
    /// use it).
    ///
    /// - Returns: `nil` when the result is not an HTTP URI.
    package func redirected(to location: String) -> HTTPTarget? {
        let text = location.prefix { $0 != "#" }
        guard !text.isEmpty, text.utf8.count <= Self.longest, text.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
        else { return nil }
        let lowered = text.lowercased()
        if lowered.hasPrefix("http://") { return absolute(text.dropFirst(7), isSecure: false) }
        if lowered.hasPrefix("https://") { return absolute(text.dropFirst(8), isSecure: true) }
        if text.hasPrefix("//") { return absolute(text.dropFirst(2), isSecure: isSecure) }
        let scheme = text.prefix { $0.isLetter || $0.isNumber || $0 == "+" || $0 == "-" || $0 == "." }
        if !scheme.isEmpty, text[scheme.endIndex...].first == ":" { return nil }
        return HTTPTarget(isSecure: isSecure, host: host, port: port, path: resolved(text))
    }

    private func resolved(_ reference: Substring) -> String {
        if reference.hasPrefix("/") { return String(reference) }
        let base = path.prefix { $0 != "?" }
        if reference.hasPrefix("?") { return "\(base)\(reference)" }
        return "\(base.lastIndex(of: "/").map { base[...$0] } ?? "/")\(reference)"
    }

    /// - Parameter rest: the part after the two slashes.
    private func absolute(_ rest: Substring, isSecure: Bool) -> HTTPTarget? {
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        var path = String(rest[authority.endIndex...])
        if !path.hasPrefix("/") { path = "/" + path }
        var (host, port) = (authority, UInt16?.some(isSecure ? 443 : 80))
        if let colon = authority.lastIndex(of: ":"), !authority[colon...].contains("]") {
            host = authority[..<colon]
            let digits = authority[authority.index(after: colon)...]
            if !digits.isEmpty { port = UInt16(digits) }
        }
        guard let port, port > 0, !host.isEmpty, !host.contains("@") else { return nil }
        return HTTPTarget(isSecure: isSecure, host: host.lowercased(), port: port, path: path)
    }
}
