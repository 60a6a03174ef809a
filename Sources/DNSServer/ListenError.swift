public import IPNetworks
public import SystemPackage

/// Why a listen address cannot be served, as a message for the operator.
public struct ListenError: Error, Equatable, CustomStringConvertible {
    public enum Code: Sendable, Hashable {
        case addressNotOnHost
        case portTaken
        case noPermission
        /// Any other error of the system.
        case system(Errno)
    }

    public let endpoint: SocketEndpoint
    public let transport: Transport
    public let code: Code

    package init(_ endpoint: SocketEndpoint, _ transport: Transport, errno code: Errno) {
        self.endpoint = endpoint
        self.transport = transport
        self.code =
            switch code {
            case .addressNotAvailable: .addressNotOnHost
            case .addressInUse: .portTaken
            case .permissionDenied, .notPermitted: .noPermission
            default: .system(code)
            }
    }

    /// One line: `listen 192.0.2.53:53: address not on this host (add it to an interface or correct listen)`.
    public var description: String { "listen \(endpoint): \(reason)" }

    private var reason: String {
        switch (code, transport) {
        case (.addressNotOnHost, _):
            "address not on this host (add it to an interface or correct listen)"
        case (.portTaken, .udp):
            "UDP port taken by another process (ss -lunp shows which)"
        case (.portTaken, .tcp), (.portTaken, .tls):
            "TCP port taken by another process (ss -ltnp shows which)"
        case (.noPermission, _):
            "no permission (needs CAP_NET_BIND_SERVICE)"
        case (.system(let errno), _):
            "cannot be opened: \(errno)"
        }
    }
}
