package import IPNetworks
package import NIOCore

/// Connections that are open, counted against limits for all clients and for one: an address, or an IPv6 /64.
package struct OpenConnections {
    private var channels: [ObjectIdentifier: any Channel] = [:]
    private var perClient: [IPAddress: Int] = [:]

    package init() {}

    package var count: Int { channels.count }
    package var all: [any Channel] { Array(channels.values) }

    /// Counts a connection; false when it is one too many.
    package mutating func admit(_ channel: any Channel, from client: IPAddress, limit: Int, perClientLimit: Int) -> Bool
    {
        let client = Self.counted(client)
        let held = perClient[client, default: 0]
        guard count < limit, held < perClientLimit else { return false }
        channels[ObjectIdentifier(channel)] = channel
        perClient[client] = held + 1
        return true
    }

    /// One that was admitted has closed.
    package mutating func forget(_ channel: any Channel, from client: IPAddress) {
        let client = Self.counted(client)
        channels[ObjectIdentifier(channel)] = nil
        let left = perClient[client, default: 1] - 1
        perClient[client] = left == 0 ? nil : left
    }

    private static func counted(_ client: IPAddress) -> IPAddress {
        client.family == .v4 ? client : client.masked(to: 64)
    }
}
