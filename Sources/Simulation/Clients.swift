import CFastPathABI
public import DNSWire
public import IPNetworks
import Location

/// Clients that get the same answers.
public struct ClientGroup: Hashable, Sendable {
    /// The source address of the queries.
    public let sender: IPAddress
    /// The client subnet sent with them, if any.
    public let subnet: ClientSubnet?
    /// Number of IPv4 addresses, IPv6 networks, or queries of a log.
    public let weight: UInt64

    public init(sender: IPAddress, subnet: ClientSubnet? = nil, weight: UInt64) {
        self.sender = sender
        self.subnet = subnet
        self.weight = weight
    }
}

/// The clients of a simulation.
public enum Clients: Sendable {
    /// Every located block of a family. IPv4 blocks are weighted by size. The size of an IPv6 block says little about
    /// its number of clients, so adjacent blocks at one place count as one.
    case addressSpace(IPFamily)
    /// The clients of a query log.
    case groups([ClientGroup])
}

extension Clients {
    /// Calls `body` with each group and the fraction of the work done, 0...1.
    ///
    /// - Parameter location: the table whose blocks divide the address space.
    func forEach(in location: LocationTable, _ body: (ClientGroup, Double) -> Void) {
        switch self {
        case .groups(let groups):
            for (index, group) in groups.enumerated() { body(group, Double(index) / Double(groups.count)) }
        case .addressSpace(let family):
            ClientBlock.forEach(family, in: location) { block in body(block.group, block.done) }
        }
    }
}

/// A located block of the address space, whose clients get the same answers.
struct ClientBlock {
    let first: nc_address
    let length: Int
    /// Number in the place table, above 0.
    let place: Int
    let weight: UInt64
    /// The fraction of the address space before it, 0...1.
    var done: Double {
        // Global unicast is 2000::/3.
        first.family == NC_FAMILY_V4 ? Double(first.hi) * 0x1p-64 : Double(first.hi & (1 << 61 - 1)) * 0x1p-61
    }

    /// The resolver is assumed to be where its clients are.
    var group: ClientGroup {
        let address = IPAddress(first)
        let subnet = ClientSubnet(address: address, sourceLength: UInt8(length))
        return ClientGroup(sender: address, subnet: subnet, weight: weight)
    }

    /// Calls `body` with each block, weighted as ``Clients/addressSpace(_:)`` says.
    static func forEach(_ family: IPFamily, in location: LocationTable, _ body: (ClientBlock) -> Void) {
        var last = 0
        location.forEachBlock(family) { first, length, place in
            defer { last = place }
            guard place != 0, family == .v4 || place != last else { return }
            let weight: UInt64 = family == .v4 ? 1 << UInt64(32 - length) : 1
            body(ClientBlock(first: first, length: length, place: place, weight: weight))
        }
    }
}

/// Clients that two location tables put at one place each.
struct ClientBlockPair {
    /// As the earlier and the later table have it; place 0 is unknown.
    let before: ClientBlock
    let after: ClientBlock
    /// Of the smaller of both blocks.
    let weight: UInt64

    /// Calls `body` with each block of the finer division of both tables that one of them locates. Adjacent IPv6 blocks at the
    /// same two places count as one.
    static func forEach(
        _ family: IPFamily, in earlier: LocationTable, and later: LocationTable, _ body: (ClientBlockPair) -> Void
    ) {
        var last = (0, 0)
        earlier.forEachBlock(family) { first, length, place in
            let before = ClientBlock(first: first, length: length, place: place, weight: 0)
            var (next, end) = (first.hi, first.hi | UInt64.max >> UInt64(length))
            // A block is no longer than 64 bits; one of 64 ends where it begins.
            if length >= 64 { end = first.hi }
            while true {
                var address = first
                address.hi = next
                let found = later.find(address)
                let scope = Int(found.scope)
                let after = ClientBlock(
                    first: nc_address_mask(address, found.scope), length: scope, place: Int(found.place), weight: 0)
                let size = max(length, scope)
                defer { last = (place, after.place) }
                if place != 0 || after.place != 0, family == .v4 || last != (place, after.place) {
                    let weight: UInt64 = family == .v4 ? 1 << UInt64(32 - size) : 1
                    body(ClientBlockPair(before: before, after: after, weight: weight))
                }
                let (sum, isPast) = next.addingReportingOverflow(1 << UInt64(64 - size))
                guard !isPast, sum <= end, sum > next else { return }
                next = sum
            }
        }
    }
}
