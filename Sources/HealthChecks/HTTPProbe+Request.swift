import Health
import IPNetworks

extension HTTPProbe {
    static let agent = "nearcast-health"

    /// For the Host field: an address as in RFC 3986, section 3.2.2.
    func hostField(_ target: IPAddress) -> String { host ?? (target.family == .v6 ? "[\(target)]" : "\(target)") }

    /// The request, as it is sent.
    func request(to target: IPAddress) -> [UInt8] {
        let lines = [
            "GET \(path) HTTP/1.1", "Host: \(hostField(target))", "User-Agent: \(Self.agent)", "Accept: */*",
            "Connection: close", "", "",
        ]
        return Array(lines.joined(separator: "\r\n").utf8)
    }
}
