public import IPNetworks
import Zones

/// The views of a model (split horizon). Only the source address selects a view: a client subnet can be forged.
public struct Views: Sendable {
    public struct View: Hashable, Sendable {
        public let id: String
        /// Networks of the view's clients. No network is in two views.
        public let clients: [IPPrefix]
        /// Whether the clients get the nodes' overlay addresses.
        public let isOverlay: Bool

        public init(id: String, clients: [IPPrefix], isOverlay: Bool) {
            self.id = id
            self.clients = clients
            self.isOverlay = isOverlay
        }
    }

    public let views: [View]
    private let ranges: PrefixRanges<Int>

    /// - Parameter views: in order of their numbers.
    public init(_ views: [View] = []) {
        self.views = views
        let networks = views.enumerated().flatMap { number, view in view.clients.map { ($0, number) } }
        ranges = PrefixRanges(networks, otherwise: -1)
    }

    /// Number of the sender's view: that of the most specific network that contains its address; `nil` for none.
    public func number(of client: IPAddress) -> Int? {
        guard !views.isEmpty else { return nil }
        let number = ranges[client]
        return number < 0 ? nil : number
    }

    /// The networks of all views.
    public var networks: [IPPrefix] { views.flatMap(\.clients) }
}
