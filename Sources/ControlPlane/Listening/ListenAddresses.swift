import DNSServer
package import IPNetworks

/// An address that is listened on.
package struct ListenAddress: Hashable, Sendable {
    package let address: IPAddress
    /// Whether this host has it now. If not, it is served once it comes.
    package var isOnHost: Bool
}

/// Which of the addresses that are listened on the host has. Sockets are bound to all of them, so packets are answered
/// from the moment an address comes. This only says so.
///
///     netlink, or a second ──► look ──► events, state
package actor ListenAddresses {
    private var addresses: [ListenAddress]
    private let events: EventStream
    private let state: StateCell
    private let isOnHost: @Sendable (IPAddress) -> Bool?

    /// - Parameters:
    ///   - addresses: without wildcards.
    ///   - isOnHost: whether the host has an address; `nil` when the system cannot tell.
    package init(
        _ addresses: [IPAddress], events: EventStream, state: StateCell,
        isOnHost: @escaping @Sendable (IPAddress) -> Bool? = { ListenSocket.isOnHost($0) }
    ) {
        self.addresses = addresses.map { ListenAddress(address: $0, isOnHost: true) }
        self.events = events
        self.state = state
        self.isOnHost = isOnHost
        let all = self.addresses
        state.update { $0.listenAddresses = all }
    }

    /// Looks at the host, and notes what has changed.
    package func look() {
        var news: [Event.Kind] = []
        for index in addresses.indices {
            let (address, before) = (addresses[index].address, addresses[index].isOnHost)
            guard let now = isOnHost(address), now != before else { continue }
            addresses[index].isOnHost = now
            news.append(.listenAddress(address, isOnHost: now))
        }
        guard !news.isEmpty else { return }
        let all = addresses
        state.update { $0.listenAddresses = all }
        events.append(news)
    }
}
