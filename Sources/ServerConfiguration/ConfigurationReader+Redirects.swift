import Health
import Yams

/// Redirects of checks of type `http` and `https`.
extension ConfigurationReader {
    private enum RedirectHosts: String, CaseIterable {
        case same, any
    }

    mutating func redirects(_ fields: Fields) -> HTTPRedirects {
        let limit = fields["redirects"].flatMap { integer($0, name: fields.name("redirects"), in: 0...10) } ?? 0
        guard let node = fields["redirect_hosts"] else { return HTTPRedirects(limit: limit) }
        if fields["redirects"] == nil {
            report(
                node.place,
                "\(fields.name("redirect_hosts")) is given without redirects, so that none is followed: add redirects: 3"
            )
        }
        let hosts = choice(node, name: fields.name("redirect_hosts"), of: RedirectHosts.self)
        return HTTPRedirects(limit: limit, isAnyHost: hosts == .any)
    }
}
