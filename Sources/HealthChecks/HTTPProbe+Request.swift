import Health
import IPNetworks

extension HTTPProbe {
    static let agent = "nearcast-health"

    /// The Host field. IPv6 addresses are in brackets (RFC 3986, section 3.2.2).
    func hostField(_ target: Check.Target) -> String {
        host ?? (target.address?.family == .v6 ? "[\(target)]" : "\(target)")
    }

    /// The bytes of the request.
    func request(to target: IPAddress) -> [UInt8] {
        let lines =
            [
                "GET \(path) HTTP/1.1", "Host: \(hostField(.address(target)))", "User-Agent: \(Self.agent)",
                "Accept: */*",
                "Connection: close",
            ] + fields.map { "\($0.name): \($0.value)" } + ["", ""]
        return Array(lines.joined(separator: "\r\n").utf8)
    }
}
