public import CFastPathABI
public import DNSWire
public import IPNetworks
public import Location
public import Steering

/// A name whose addresses are chosen for each client.
public struct TailoredName: Sendable {
    public let name: DomainName
    public let rule: nc_rule
    /// Index of the steering table for A, if any node of the pool has an IPv4 address.
    public let v4: Int?
    /// The same for AAAA.
    public let v6: Int?
    /// As configured, for people.
    public let pool: String
    public let policy: String
    /// Steering hash of the lower-cased wire name; kept, because every decision needs it.
    public let steeringHash: UInt64

    public init(name: DomainName, rule: nc_rule, v4: Int?, v6: Int?, pool: String, policy: String) {
        self.name = name
        self.rule = rule
        self.v4 = v4
        self.v6 = v6
        self.pool = pool
        self.policy = policy
        steeringHash = Steering.steeringHash(name.lowercasedWire)
    }

    public func table(_ family: IPFamily) -> Int? { family == .v4 ? v4 : v6 }
}

/// Everything that answers are made of, but the nodes' states: immutable, shared by both paths.
public struct ServingModel: Sendable {
    /// Number of the model since the daemon started, from 1.
    public let epoch: UInt64
    /// Hash of all that decides answers: equal digests give equal answers.
    public let digest: UInt64
    public let zones: ZoneSet
    public let tailored: [TailoredName]
    /// Names with tailored records of other types, at most one entry a name; only user space answers these.
    public let tailoredRecords: [TailoredRecords]
    public let steering: SteeringTables
    public let location: LocationTable
    public let places: PlaceTable

    public init(
        epoch: UInt64, digest: UInt64, zones: ZoneSet, tailored: [TailoredName],
        tailoredRecords: [TailoredRecords] = [], steering: SteeringTables, location: LocationTable, places: PlaceTable
    ) {
        self.epoch = epoch
        self.digest = digest
        self.zones = zones
        self.tailored = tailored
        self.tailoredRecords = tailoredRecords
        self.steering = steering
        self.location = location
        self.places = places
    }
}
