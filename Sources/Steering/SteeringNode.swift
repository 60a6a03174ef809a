import CFastPathABI
public import IPNetworks
public import Location

/// A node as steering knows it.
public struct SteeringNode: Sendable, Hashable {
    public let id: String
    /// Index of its word, 0..<NC_MAX_NODES; kept while any generation names the node.
    public let slot: Int
    /// Host order.
    public let v4: UInt32?
    public let v6: UInt128?
    public let coordinates: Coordinates
    public let country: String?
    public let region: String?
    public let continent: String?
    /// Steering hash of the id: ties and weights go by it, never by the slot.
    public let idHash: UInt64

    public init(
        id: String, slot: Int, addresses: [IPAddress], coordinates: Coordinates, country: String? = nil,
        region: String? = nil, continent: String? = nil
    ) {
        self.id = id
        self.slot = slot
        var (v4, v6): (UInt32?, UInt128?)
        for address in addresses {
            switch address {
            case .v4(let bits): v4 = v4 ?? bits
            case .v6(let bits): v6 = v6 ?? bits
            }
        }
        self.v4 = v4
        self.v6 = v6
        self.coordinates = coordinates
        self.country = country
        self.region = region
        self.continent = continent
        idHash = steeringHash(Array(id.utf8))
    }

    public func address(_ family: IPFamily) -> IPAddress? {
        switch family {
        case .v4: v4.map(IPAddress.v4)
        case .v6: v6.map(IPAddress.v6)
        }
    }
}

/// Hash of a byte string with the steering seed: as little-endian 8-byte words, the last one padded with zeros
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

/// A member of a pool: index of the node in the model, and its weight, 1...65,535.
public struct PoolMember: Hashable, Sendable {
    public let node: Int
    public let weight: UInt16

    public init(node: Int, weight: UInt16) {
        self.node = node
        self.weight = weight
    }
}

/// What near ties are: candidates not farther than the band's first by so much share its band.
public struct Tolerance: Hashable, Sendable {
    public let percent: Int
    public let kilometres: Int

    public init(percent: Int = 0, kilometres: Int = 0) {
        self.percent = percent
        self.kilometres = kilometres
    }

    /// Largest distance, in metres, that shares the band of a leader at `metres`.
    func reach(_ metres: Double) -> Double {
        max(metres * Double(100 + percent) / 100, metres + Double(kilometres) * 1000)
    }

    var isNone: Bool { percent == 0 && kilometres == 0 }
}

/// What distinguishes one steering table from another; names that agree in it share a table.
public struct SteeringKey: Hashable, Sendable {
    public let members: [PoolMember]
    public let tolerance: Tolerance
    /// Which addresses candidates must have; `nil`: every member is one.
    public let family: IPFamily?

    public init(members: [PoolMember], tolerance: Tolerance, family: IPFamily?) {
        self.members = members
        self.tolerance = tolerance
        self.family = family
    }
}
