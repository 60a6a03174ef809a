import CFastPathABI
public import IPNetworks
public import Location

/// A node as steering knows it.
public struct SteeringNode: Sendable, Hashable {
    public let id: String
    /// Index of its word, 0..<NC_MAX_NODES. Kept while any generation names the node.
    public let slot: Int
    /// Host order.
    public let v4: UInt32?
    public let v6: UInt128?
    /// The overlay address, for clients inside the private network. Host order.
    public let overlayV4: UInt32?
    public let overlayV6: UInt128?
    /// The outside host that answers lead to, in place of addresses, in presentation form.
    public let provider: String?
    /// Meaningless unless the node is located.
    public let coordinates: Coordinates
    /// Whether its location is known. Strategies that use distance rank the others last.
    public let isLocated: Bool
    public let country: String?
    public let region: String?
    public let continent: String?
    /// Steering hash of the id. Ties and weights depend on it, never on the slot.
    public let idHash: UInt64

    /// - Parameters:
    ///   - addresses: the first of each family counts.
    ///   - overlay: the same, for overlay addresses.
    public init(
        id: String, slot: Int, addresses: [IPAddress], overlay: [IPAddress] = [], coordinates: Coordinates,
        isLocated: Bool = true, country: String? = nil, region: String? = nil, continent: String? = nil,
        provider: String? = nil
    ) {
        self.id = id
        self.slot = slot
        (v4, v6) = Self.first(addresses)
        (overlayV4, overlayV6) = Self.first(overlay)
        self.coordinates = coordinates
        self.isLocated = isLocated
        self.country = country
        self.region = region
        self.continent = continent
        self.provider = provider
        idHash = steeringHash(Array(id.utf8))
    }

    /// - Parameter overlay: whether the overlay address is wanted.
    public func address(_ family: IPFamily, overlay: Bool = false) -> IPAddress? {
        switch family {
        case .v4: (overlay ? overlayV4 : v4).map(IPAddress.v4)
        case .v6: (overlay ? overlayV6 : v6).map(IPAddress.v6)
        }
    }

    private static func first(_ addresses: [IPAddress]) -> (v4: UInt32?, v6: UInt128?) {
        var (v4, v6): (UInt32?, UInt128?)
        for address in addresses {
            switch address {
            case .v4(let bits): v4 = v4 ?? bits
            case .v6(let bits): v6 = v6 ?? bits
            }
        }
        return (v4, v6)
    }
}

/// Hash of a byte string with the steering seed, in little-endian 8-byte words, the last one zero-padded
/// (`bpf/abi/hash.h`).
public func steeringHash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    var hash = UInt64(NC_STEERING_SEED)
    var offset = 0
    while offset < bytes.count {
        var word: UInt64 = 0
        for index in offset..<min(offset + 8, bytes.count) {
            word |= UInt64(bytes[index]) << UInt64(8 * (index - offset))
        }
        hash = nc_hash_step(hash, word)
        offset += 8
    }
    return nc_mix(hash)
}

public func steeringHash(_ bytes: [UInt8]) -> UInt64 { bytes.withUnsafeBytes { steeringHash($0) } }
