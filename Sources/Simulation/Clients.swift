import CFastPathABI
public import DNSWire
public import IPNetworks
import Location

/// Clients that are answered alike.
public struct ClientGroup: Hashable, Sendable {
    /// Who sends the queries.
    public let sender: IPAddress
    /// The client subnet sent with them, if any.
    public let subnet: ClientSubnet?
    /// IPv4 addresses, IPv6 networks, or queries of a log.
    public let weight: UInt64

    public init(sender: IPAddress, subnet: ClientSubnet? = nil, weight: UInt64) {
        self.sender = sender
        self.subnet = subnet
        self.weight = weight
    }
}

/// Who asks in a simulation.
public enum Clients: Sendable {
    /// Every located block of a family: of IPv4 by its size; of IPv6, where sizes say nothing of how many are there, blocks
    /// side by side at one place count as one.
    case addressSpace(IPFamily)
    /// Those of a log.
    case groups([ClientGroup])
}

extension Clients {
    /// Calls `body` with each group and with how much of the work is done, 0...1.
    ///
    /// - Parameter location: what cuts the address space into blocks.
    func forEach(in location: LocationTable, _ body: (ClientGroup, Double) -> Void) {
        switch self {
        case .groups(let groups):
            for (index, group) in groups.enumerated() { body(group, Double(index) / Double(groups.count)) }
        case .addressSpace(.v4):
            location.forEachBlock(.v4) { first, length, place in
                guard place != 0 else { return }
                body(group(first, length, weight: 1 << UInt64(32 - length)), Double(first.hi) * 0x1p-64)
            }
        case .addressSpace(.v6):
            var last = 0
            location.forEachBlock(.v6) { first, length, place in
                defer { last = place }
                guard place != 0, place != last else { return }
                // Global unicast is 2000::/3.
                let done = Double(first.hi & (1 << 61 - 1)) * 0x1p-61
                body(group(first, length, weight: 1), done)
            }
        }
    }

    /// The resolver that asks stands where its clients are.
    private func group(_ first: nc_address, _ length: Int, weight: UInt64) -> ClientGroup {
        let address = IPAddress(first)
        let subnet = ClientSubnet(address: address, sourceLength: UInt8(length))
        return ClientGroup(sender: address, subnet: subnet, weight: weight)
    }
}
