public import IPNetworks
import Zones

/// The views of a model: clients who are answered apart, told by the address they send from alone. A client subnet could
/// claim to be anybody's.
public struct Views: Sendable {
    public struct View: Hashable, Sendable {
        public let id: String
        /// Networks of the clients; no network is in two views.
        public let clients: [IPPrefix]
        /// Whether the clients get the nodes' addresses inside the overlay network.
        public let isOverlay: Bool

        public init(id: String, clients: [IPPrefix], isOverlay: Bool) {
            self.id = id
            self.clients = clients
            self.isOverlay = isOverlay
        }
    }

    public let views: [View]
    private let ranges: PrefixRanges<Int>

    /// - Parameter views: in the order of their numbers.
    public init(_ views: [View] = []) {
        self.views = views
        let networks = views.enumerated().flatMap { number, view in view.clients.map { ($0, number) } }
        ranges = PrefixRanges(networks, otherwise: -1)
    }

    /// Number of the view of a sender: that of the most specific network which holds its address; `nil` for none.
    public func number(of client: IPAddress) -> Int? {
        guard !views.isEmpty else { return nil }
        let number = ranges[client]
        return number < 0 ? nil : number
    }

    /// The networks of all views.
    public var networks: [IPPrefix] { views.flatMap(\.clients) }
}
