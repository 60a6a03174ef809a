public import IPNetworks

/// Clients that get other answers, selected by their source address.
public struct ViewSettings: Sendable {
    /// 1 to 63 of `A-Z a-z 0-9 . _ -`.
    public let id: String
    /// At least one. No network is in two views.
    public let clients: [IPPrefix]
    public let addresses: Addresses
    public let mark: DocumentLocation

    /// Which addresses of nodes the clients get.
    public enum Addresses: String, Sendable, CaseIterable {
        case `public`
        /// Those inside the overlay network, if the node has any.
        case overlay
    }
}

/// Another pool or policy of a tailored name, for the clients of one view.
public struct TailoredView: Hashable, Sendable {
    /// The id of one of the configuration's views.
    public let view: String
    public let pool: String
    public let policy: String
}
